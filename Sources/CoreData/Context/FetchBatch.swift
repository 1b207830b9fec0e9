/// The keys of a fetch with a batch size, whose rows are read, and let go of, a batch at a time.
final class FetchBatch {
    let link: StoreLink
    let rootOrdinal: Int32
    /// Key paths of the relationships that are read along with each batch.
    let prefetched: [String]
    private let size: Int
    /// In the order of the result.
    private let keys: ContiguousArray<ObjectKey>
    /// The places of the keys, in the order of their numbers; made when a row is first missed.
    private var places: ContiguousArray<Int32> = []
    private var isRead: ContiguousArray<Bool>
    private var unreadCount: Int
    /// The batches whose rows may be in memory, the one that was read first in front.
    private var recent: [Int] = []
    private var readings = 0

    /// About this many rows stay, two batches at least: objects near each other are often used together.
    private static let keptRows = 1024
    /// Whoever reads the whole so often over goes through it in no order: letting go would mean to read again and again.
    private static let mostReadings = 8

    init(_ keys: ContiguousArray<ObjectKey>, _ link: StoreLink, rootOrdinal: Int32, size: Int, prefetched: [String]) {
        self.keys = keys
        self.link = link
        self.rootOrdinal = rootOrdinal
        self.size = size
        self.prefetched = prefetched
        unreadCount = (keys.count + size - 1) / size
        isRead = ContiguousArray(repeating: false, count: unreadCount)
    }

    /// Whether the rows of all batches have been read, and stay.
    var isDone: Bool { unreadCount == 0 }

    /// Whether somebody has one of the objects. Complexity: O(n), mostly O(1).
    func isUsed(in tables: IdentityMap.StoreTables?) -> Bool {
        guard let tables else { return false }
        return keys.contains { tables.holders(rootOrdinal, $0.number) > 0 }
    }

    /// Takes the keys of the batch that a key is in; nil if it is in none, or in one that was taken already.
    ///
    /// Complexity: O(log n), once O(n log n).
    func takeBatch(with key: ObjectKey) -> [ObjectKey]? {
        guard let place = place(of: key.number) else { return nil }
        let number = place / size
        guard !isRead[number] else { return nil }
        isRead[number] = true
        unreadCount -= 1
        recent.append(number)
        readings += 1
        return batch(number)
    }

    /// Takes the keys of the batch that was read first, once enough others have been read: it counts as unread.
    func takeOldBatch() -> [ObjectKey]? {
        guard recent.count > max(2, Self.keptRows / size), readings <= Self.mostReadings * isRead.count else {
            return nil
        }
        let number = recent.removeFirst()
        isRead[number] = false
        unreadCount += 1
        return batch(number)
    }

    private func batch(_ number: Int) -> [ObjectKey] {
        let start = number * size
        return Array(keys[start..<min(start + size, keys.count)])
    }

    private func place(of number: Int64) -> Int? {
        if places.isEmpty {
            places = ContiguousArray(keys.indices.lazy.map(Int32.init(truncatingIfNeeded:)))
            places.sort { keys[Int($0)].number < keys[Int($1)].number }
        }
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if keys[Int(places[middle])].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, keys[Int(places[low])].number == number else { return nil }
        return Int(places[low])
    }
}

/// The keys of a fetch with a batch size, whose rows are read a batch at a time.
final class FetchBatch {
    let link: StoreLink
    let rootOrdinal: Int32
    let size: Int
    /// Key paths of the relationships that are read along with each batch.
    let prefetched: [String]
    /// In the order of the result.
    private let keys: ContiguousArray<ObjectKey>
    /// The places of the keys, in the order of their numbers; made when a row is first missed.
    private var places: ContiguousArray<Int32> = []
    private var isRead: ContiguousArray<Bool>
    private var unreadCount: Int

    init(_ keys: [ObjectKey], _ link: StoreLink, rootOrdinal: Int32, size: Int, prefetched: [String]) {
        self.keys = ContiguousArray(keys)
        self.link = link
        self.rootOrdinal = rootOrdinal
        self.size = size
        self.prefetched = prefetched
        unreadCount = (keys.count + size - 1) / size
        isRead = ContiguousArray(repeating: false, count: unreadCount)
    }

    /// Whether the rows of all batches have been read once.
    var isDone: Bool { unreadCount == 0 }

    /// Takes the keys of the batch that a key is in; nil if it is in none, or in one that was taken already.
    ///
    /// Complexity: O(log n), once O(n log n).
    func takeBatch(with key: ObjectKey) -> ArraySlice<ObjectKey>? {
        guard let place = place(of: key.number) else { return nil }
        let number = place / size
        guard !isRead[number] else { return nil }
        isRead[number] = true
        unreadCount -= 1
        let start = number * size
        return Array(keys[start..<min(start + size, keys.count)])[...]
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

import Foundation

/// A value that an object keeps beside its row: changed, or decoded once.
enum SlotValue {
    /// Nothing kept: the row's value counts.
    case unset
    case null
    /// Integers and Booleans.
    case integer(Int64)
    /// Doubles, floats and dates (seconds since 2001-01-01 UTC).
    case double(Double)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case key(ObjectKey)
    /// Decimals (`NSDecimalNumber`), URLs (`NSURL`), transformable and undefined values.
    case object(AnyObject)
    /// A value of a transformable or transient attribute that is no object.
    case any(AnyValue)

    @inline(__always) var isUnset: Bool { if case .unset = self { true } else { false } }
    @inline(__always) var isNull: Bool { if case .null = self { true } else { false } }
}

/// Boxes a value of any type.
final class AnyValue {
    let value: Any
    init(_ value: Any) { self.value = value }
}

/// A fixed number of slot values in one allocation: an object's changed slots, or its decoded values.
final class SlotValues: ManagedBuffer<SlotValues.Header, SlotValue> {
    struct Header {
        let count: Int
        /// What was changed by tracked setters since the last save: slots, then to-many relationships.
        var changed = BitSet()
        /// What was changed since the last `ObjectsDidChange`.
        var changedInEvent = BitSet()
    }

    static func make(count: Int) -> SlotValues {
        let buffer = SlotValues.create(minimumCapacity: count) { _ in Header(count: count) }
        buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: .unset, count: count) }
        return unsafeDowncast(buffer, to: SlotValues.self)
    }

    /// The same values, with no change noted.
    func copy() -> SlotValues {
        let count = count
        let buffer = SlotValues.create(minimumCapacity: count) { _ in Header(count: count) }
        withUnsafeMutablePointerToElements { source in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(from: source, count: count) }
        }
        return unsafeDowncast(buffer, to: SlotValues.self)
    }

    /// The same values and noted changes for an entity with more slots.
    func widened(from oldCount: Int, to newCount: Int) -> SlotValues {
        let wide = SlotValues.make(count: newCount)
        for slot in 0..<oldCount { wide[slot] = self[slot] }
        wide.withUnsafeMutablePointerToHeader {
            $0.pointee.changed = header.changed.shifted(from: oldCount, by: newCount - oldCount)
            $0.pointee.changedInEvent = header.changedInEvent.shifted(from: oldCount, by: newCount - oldCount)
        }
        return wide
    }

    deinit {
        let count = count
        withUnsafeMutablePointerToElements { _ = $0.deinitialize(count: count) }
    }

    @inline(__always) var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

    subscript(index: Int) -> SlotValue {
        @inline(__always) get { withUnsafeMutablePointerToElements { $0[index] } }
        @inline(__always) set { withUnsafeMutablePointerToElements { $0[index] = newValue } }
    }

    /// Whether a value is kept at the index; costs no reference count.
    @inline(__always)
    func isUnset(_ index: Int) -> Bool { withUnsafeMutablePointerToElements { $0[index].isUnset } }

    /// Notes that a tracked setter changed the slot or to-many relationship of the number.
    @inline(__always)
    func noteChange(_ number: Int) {
        withUnsafeMutablePointerToHeader {
            $0.pointee.changed.insert(number)
            $0.pointee.changedInEvent.insert(number)
        }
    }

    func forgetEvent() { withUnsafeMutablePointerToHeader { $0.pointee.changedInEvent = BitSet() } }
}

/// The texts of a row that were decoded, by `SlotLayout.textIndex`, in one allocation.
final class Texts: ManagedBuffer<Int, String?> {
    static func make(count: Int) -> Texts {
        let buffer = Texts.create(minimumCapacity: count) { _ in count }
        buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: count) }
        return unsafeDowncast(buffer, to: Texts.self)
    }

    deinit {
        _ = withUnsafeMutablePointers { count, texts in texts.deinitialize(count: count.pointee) }
    }

    subscript(index: Int) -> String? {
        @inline(__always) get { withUnsafeMutablePointerToElements { $0[index] } }
        @inline(__always) set { withUnsafeMutablePointerToElements { $0[index] = newValue } }
    }
}

/// A set of small numbers: the first 64 need no allocation.
struct BitSet {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    @inline(__always)
    mutating func insert(_ number: Int) {
        if number < 64 {
            low |= 1 << UInt64(number)
        } else {
            insertHigh(number - 64)
        }
    }

    private mutating func insertHigh(_ number: Int) {
        while high.count <= number >> 6 { high.append(0) }
        high[number >> 6] |= 1 << UInt64(number & 63)
    }

    func contains(_ number: Int) -> Bool {
        if number < 64 { return low & (1 << UInt64(number)) != 0 }
        let place = (number - 64) >> 6
        return place < high.count && high[place] & (1 << UInt64((number - 64) & 63)) != 0
    }

    var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    /// The set with all numbers from `first` on moved up.
    func shifted(from first: Int, by distance: Int) -> BitSet {
        var result = BitSet()
        for number in 0..<(64 + high.count * 64) where contains(number) {
            result.insert(number < first ? number : number + distance)
        }
        return result
    }
}

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

    var isUnset: Bool { if case .unset = self { true } else { false } }
}

/// Boxes a value of any type.
final class AnyValue {
    let value: Any
    init(_ value: Any) { self.value = value }
}

/// A fixed number of slot values in one allocation: an object's changed slots, or its decoded values.
final class SlotValues: ManagedBuffer<Int, SlotValue> {
    static func make(count: Int) -> SlotValues {
        let buffer = SlotValues.create(minimumCapacity: count) { _ in count }
        buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: .unset, count: count) }
        return unsafeDowncast(buffer, to: SlotValues.self)
    }

    deinit {
        let count = header
        withUnsafeMutablePointerToElements { _ = $0.deinitialize(count: count) }
    }

    subscript(index: Int) -> SlotValue {
        @inline(__always) get { withUnsafeMutablePointerToElements { $0[index] } }
        @inline(__always) set { withUnsafeMutablePointerToElements { $0[index] = newValue } }
    }
}

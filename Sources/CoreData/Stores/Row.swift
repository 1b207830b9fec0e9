import Foundation

/// What stands in front of a row's words.
struct RowHeader {
    /// The layout of the record's own, most specific entity. The model that the row's store holds keeps it alive.
    unowned(unsafe) let layout: SlotLayout
    let primaryKey: Int64
    /// Apple's `Z_OPT`: 1 after the insert, one more with each saved update.
    var version: Int64
    /// The number of the store's commit whose snapshot the row was read in, or that wrote it.
    var commit: UInt64
    /// Words in use: slots, null bits, then bytes.
    let wordCount: Int32
    /// As many as the layout has.
    let slotCount: Int32

    init(_ layout: SlotLayout, primaryKey: Int64, version: Int64, commit: UInt64, wordCount: Int) {
        self.layout = layout
        self.primaryKey = primaryKey
        self.version = version
        self.commit = commit
        self.wordCount = Int32(wordCount)
        slotCount = Int32(layout.slotCount)
    }
}

/// An immutable snapshot of one record, packed into one allocation.
///
/// The words are: one word a slot, null bits (one a slot), then the bytes of text and data. A slot's word is the value itself
/// (integers, `Double` bits, keys) or `offset << 32 | length` of its bytes, the offset counted in bytes from the first word.
/// A row is filled once, by `RowWriter`, and from then on only read; version and commit are set before it is shared.
final class Row: ManagedBuffer<RowHeader, UInt64> {
    /// The longest text or data a row can hold: lengths stand in 32 bits.
    static let maximumByteCount = Int(UInt32.max >> 1)

    /// The header without a run-time check for exclusive access: a row is written before it is shared, and only read from then on.
    @inline(__always)
    private var head: UnsafeMutablePointer<RowHeader> { withUnsafeMutablePointerToHeader { $0 } }

    @inline(__always) var layout: SlotLayout { head.pointee.layout }
    @inline(__always) var primaryKey: Int64 { head.pointee.primaryKey }
    @inline(__always) var version: Int64 { head.pointee.version }
    @inline(__always) var commit: UInt64 { head.pointee.commit }
    var wordCount: Int { Int(head.pointee.wordCount) }
    var key: ObjectKey { ObjectKey(number: head.pointee.primaryKey, entity: head.pointee.layout.ordinal) }

    @inline(__always)
    func isNull(_ slot: Int) -> Bool {
        let slotCount = Int(head.pointee.slotCount)
        return withUnsafeMutablePointerToElements { $0[slotCount + slot >> 6] & (1 << UInt64(slot & 63)) != 0 }
    }

    /// The word of a slot; 0 where it is null.
    @inline(__always)
    func word(_ slot: Int) -> UInt64 {
        withUnsafeMutablePointerToElements { $0[slot] }
    }

    @inline(__always) func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }
    @inline(__always) func double(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

    /// Whether a variable slot is null, told by its word alone: the offset of bytes is never 0.
    @inline(__always) func hasNoBytes(_ slot: Int) -> Bool { word(slot) == 0 }

    /// The length of a variable slot's bytes.
    @inline(__always) func byteCount(_ slot: Int) -> Int { Int(word(slot) & 0xffff_ffff) }

    /// The bytes of a variable slot, valid inside the closure only.
    @inline(__always)
    func withBytes<R>(_ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withUnsafeMutablePointerToElements { words in
            let word = words[slot]
            let start = UnsafeRawPointer(words) + Int(word >> 32)
            return try body(UnsafeRawBufferPointer(start: start, count: Int(word & 0xffff_ffff)))
        }
    }

    func string(_ slot: Int) -> String { withBytes(slot) { String(decoding: $0, as: UTF8.self) } }
    func data(_ slot: Int) -> Data { withBytes(slot) { Data($0) } }

    func uuid(_ slot: Int) -> UUID {
        withBytes(slot) { bytes in
            guard bytes.count == 16, let base = bytes.baseAddress else { return UUID(uuid: noUUID) }
            return UUID(uuid: base.loadUnaligned(as: uuid_t.self))
        }
    }

    func decimal(_ slot: Int) -> Decimal {
        withBytes(slot) { bytes in
            guard bytes.count >= MemoryLayout<Decimal>.size, let base = bytes.baseAddress else { return .nan }
            return base.loadUnaligned(as: Decimal.self)
        }
    }

    /// The key a to-one slot points at, or nil.
    @inline(__always)
    func toOne(_ slot: Int, isPolymorphic: Bool) -> ObjectKey? {
        let number = integer(slot)
        if number == 0, isNull(slot) { return nil }
        let entity: Int32
        if isPolymorphic, !isNull(slot + 1) {
            entity = Int32(truncatingIfNeeded: integer(slot + 1))
        } else {
            entity = head.pointee.layout.destinationOrdinal(slot)
        }
        return ObjectKey(number: number, entity: entity)
    }

    /// Sets what a save decided, before the row is shared.
    func stamp(version: Int64, commit: UInt64) {
        head.pointee.version = version
        head.pointee.commit = commit
    }

    /// Whether both rows hold the same value at the slot.
    func hasEqualValue(_ slot: Int, as other: Row) -> Bool {
        let null = isNull(slot)
        if null != other.isNull(slot) { return false }
        if null { return true }
        guard layout.slots[slot].kind.isVariable else { return word(slot) == other.word(slot) }
        return withBytes(slot) { mine in
            other.withBytes(slot) { theirs in
                mine.count == theirs.count
                    && (mine.isEmpty || memcmp(mine.baseAddress!, theirs.baseAddress!, mine.count) == 0)
            }
        }
    }
}

private let noUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

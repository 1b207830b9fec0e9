import Foundation

/// Fills a new row: first the byte count of the variable values is told, then each slot is set once.
///
/// Slots that are not set stay null. The row must not be shared before the last slot is set.
struct RowWriter {
    let row: Row
    /// The row's words; they stay where they are as long as the row lives.
    private let words: UnsafeMutablePointer<UInt64>
    private let slotCount: Int
    private var nextByte: Int

    /// - Parameter byteCount: the sum of the lengths of all variable values that will be set.
    init(_ layout: SlotLayout, primaryKey: Int64, version: Int64, commit: UInt64, byteCount: Int) {
        let fixedWords = layout.nullWords + layout.slotCount
        let wordCount = fixedWords + (byteCount + 7) >> 3
        let buffer = Row.create(minimumCapacity: wordCount) { _ in
            RowHeader(layout, primaryKey: primaryKey, version: version, commit: commit, wordCount: wordCount)
        }
        row = unsafeDowncast(buffer, to: Row.self)
        slotCount = layout.slotCount
        nextByte = fixedWords << 3
        words = row.withUnsafeMutablePointerToElements { $0 }
        for slot in 0..<slotCount { words[slot] = 0 }
        for index in slotCount..<fixedWords { words[index] = .max }
    }

    /// A copy of a row of which only slots of fixed size will be set.
    init(copying other: Row, version: Int64) {
        let layout = other.layout
        let wordCount = other.wordCount
        let key = other.primaryKey
        let buffer = Row.create(minimumCapacity: wordCount) { _ in
            RowHeader(layout, primaryKey: key, version: version, commit: 0, wordCount: wordCount)
        }
        row = unsafeDowncast(buffer, to: Row.self)
        slotCount = layout.slotCount
        nextByte = wordCount << 3
        words = row.withUnsafeMutablePointerToElements { $0 }
        other.withUnsafeMutablePointerToElements { words.initialize(from: $0, count: wordCount) }
    }

    @inline(__always)
    private func setWord(_ slot: Int, _ word: UInt64) {
        words[slotCount + slot >> 6] &= ~(1 << UInt64(slot & 63))
        words[slot] = word
    }

    @inline(__always)
    func setNull(_ slot: Int) {
        words[slotCount + slot >> 6] |= 1 << UInt64(slot & 63)
        words[slot] = 0
    }

    @inline(__always) func set(_ slot: Int, integer: Int64) { setWord(slot, UInt64(bitPattern: integer)) }
    @inline(__always) func set(_ slot: Int, double: Double) { setWord(slot, double.bitPattern) }

    @inline(__always)
    mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
        setWord(slot, UInt64(nextByte) << 32 | UInt64(bytes.count))
        if let source = bytes.baseAddress {
            (UnsafeMutableRawPointer(words) + nextByte).copyMemory(from: source, byteCount: bytes.count)
        }
        nextByte += bytes.count
    }

    mutating func set(_ slot: Int, decimal: Decimal) {
        var value = decimal
        withUnsafeBytes(of: &value) {
            set(slot, bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(Self.decimalByteCount)))
        }
    }

    mutating func set(_ slot: Int, uuid: UUID) {
        var value = uuid.uuid
        withUnsafeBytes(of: &value) { set(slot, bytes: $0) }
    }

    /// Takes over the value of the same slot of another row of this layout.
    mutating func copy(_ slot: Int, from other: Row) {
        if other.isNull(slot) { return }
        if row.layout.slots[slot].kind.isVariable {
            other.withBytes(slot) { set(slot, bytes: $0) }
        } else {
            setWord(slot, other.word(slot))
        }
    }

    static var decimalByteCount: Int { MemoryLayout<Decimal>.size }
}

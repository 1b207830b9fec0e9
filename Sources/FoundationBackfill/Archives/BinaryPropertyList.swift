import Foundation

/// A binary property list (`bplist00`), read one object at a time.
///
/// Foundation's reader does not give out the references between the objects of a keyed archive on Linux, and follows
/// whatever a file says. This one checks every offset and count against the file's size, and nothing in it recurses:
/// collections are lists of object numbers, so a file that contains itself is read as well as any other.
package struct BinaryPropertyList {
    /// One object.
    package enum Node {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001-01-01 UTC.
        case date(Double)
        case data(Data)
        case string(String)
        /// A reference of a keyed archive: an index into its list of objects.
        case uid(Int)
        /// Object numbers; an array or a set.
        case array([Int])
        /// Object numbers of keys and values.
        case dictionary(keys: [Int], values: [Int])
    }

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int

    /// The number of the topmost object.
    package let top: Int

    /// How many objects there are.
    package var count: Int { offsets.count }

    /// Checks header, trailer and offsets.
    ///
    /// - Throws: NSCocoaErrorDomain 259.
    package init(_ data: Data) throws(NSError) {
        guard data.count <= ArchiveLimit.bytes else {
            throw corruptArchive(
                "The archive has \(data.count) bytes, more than the \(ArchiveLimit.bytes) that are read.")
        }
        let bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.prefix(8).elementsEqual("bplist00".utf8) else {
            throw corruptArchive("The archive is no binary property list.")
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.unsigned(in: bytes, at: trailer + 8, size: 8),
            let top = Self.unsigned(in: bytes, at: trailer + 16, size: 8),
            let table = Self.unsigned(in: bytes, at: trailer + 24, size: 8),
            count > 0, count <= ArchiveLimit.objects, top < count, table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw corruptArchive("The property list's trailer is damaged.") }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = Self.unsigned(in: bytes, at: table + index * offsetSize, size: offsetSize),
                offset >= 8, offset < table
            else { throw corruptArchive("Object \(index) of the property list lies outside the file.") }
            offsets.append(offset)
        }
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        self.top = top
    }

    /// Reads an object.
    ///
    /// - Throws: NSCocoaErrorDomain 259 if there is no such object, or it is damaged.
    package func node(_ number: Int) throws(NSError) -> Node {
        guard number >= 0, number < offsets.count else {
            throw corruptArchive("The property list has no object \(number).")
        }
        let offset = offsets[number]
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0: return .null
            case 0x8: return .boolean(false)
            case 0x9: return .boolean(true)
            default: throw damaged(number)
            }
        case 0x1: return .integer(try integer(at: offset + 1, sizeExponent: low, number))
        case 0x2: return .real(try real(at: offset + 1, sizeExponent: low, number))
        case 0x3:
            guard low == 3 else { throw damaged(number) }
            return .date(try real(at: offset + 1, sizeExponent: 3, number))
        case 0x4:
            let (count, start) = try size(at: offset, low: low, number)
            return .data(Data(try slice(start, count, number)))
        case 0x5:
            let (count, start) = try size(at: offset, low: low, number)
            guard let text = String(validating: try slice(start, count, number), as: UTF8.self) else {
                throw damaged(number)
            }
            return .string(text)
        case 0x6:
            let (count, start) = try size(at: offset, low: low, number)
            let (byteCount, overflow) = count.multipliedReportingOverflow(by: 2)
            guard !overflow else { throw damaged(number) }
            return .string(Self.utf16Text(try slice(start, byteCount, number)))
        case 0x8:
            guard low < 8, let value = Self.unsigned(in: bytes, at: offset + 1, size: low + 1) else {
                throw damaged(number)
            }
            return .uid(value)
        case 0xA, 0xC:
            let (count, start) = try size(at: offset, low: low, number)
            return .array(try references(start, count, number))
        case 0xD:
            let (count, start) = try size(at: offset, low: low, number)
            let keys = try references(start, count, number)
            let values = try references(start + count * referenceSize, count, number)
            return .dictionary(keys: keys, values: values)
        default: throw damaged(number)
        }
    }

    private func damaged(_ number: Int) -> NSError {
        corruptArchive("Object \(number) of the property list is damaged.")
    }

    /// The count of a string, data or collection, and where its content starts.
    private func size(at offset: Int, low: Int, _ number: Int) throws(NSError) -> (count: Int, start: Int) {
        if low != 0xF { return (low, offset + 1) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1 else { throw damaged(number) }
        let length = 1 << Int(bytes[offset + 1] & 0x0F)
        guard length <= 8, let count = Self.unsigned(in: bytes, at: offset + 2, size: length), count <= bytes.count
        else { throw damaged(number) }
        return (count, offset + 2 + length)
    }

    private func slice(_ start: Int, _ count: Int, _ number: Int) throws(NSError) -> ArraySlice<UInt8> {
        guard count >= 0, start <= bytes.count, count <= bytes.count - start else { throw damaged(number) }
        return bytes[start..<(start + count)]
    }

    private func references(_ start: Int, _ count: Int, _ number: Int) throws(NSError) -> [Int] {
        guard start <= bytes.count, count <= (bytes.count - start) / referenceSize else { throw damaged(number) }
        var result: [Int] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            guard let reference = Self.unsigned(in: bytes, at: start + index * referenceSize, size: referenceSize)
            else { throw damaged(number) }
            result.append(reference)
        }
        return result
    }

    private func integer(at offset: Int, sizeExponent: Int, _ number: Int) throws(NSError) -> Int64 {
        // One, two and four bytes are unsigned, eight are signed; sixteen hold numbers beyond Int64.
        guard sizeExponent <= 4 else { throw damaged(number) }
        let size = 1 << sizeExponent
        guard offset + size <= bytes.count else { throw damaged(number) }
        var value: UInt64 = 0
        for byte in bytes[(offset + max(0, size - 8))..<(offset + size)] {
            value = value << 8 | UInt64(byte)
        }
        return Int64(bitPattern: value)
    }

    private func real(at offset: Int, sizeExponent: Int, _ number: Int) throws(NSError) -> Double {
        let size = 1 << sizeExponent
        guard size == 4 || size == 8, offset + size <= bytes.count else { throw damaged(number) }
        var bits: UInt64 = 0
        for byte in bytes[offset..<(offset + size)] {
            bits = bits << 8 | UInt64(byte)
        }
        return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    private static func unsigned(in bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for byte in bytes[offset..<(offset + size)] {
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }

    private static func utf16Text(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2) {
            units.append(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        }
        return String(decoding: units, as: UTF16.self)
    }
}

import Foundation
import FoundationBackfill

/// A value of a property list on its way into a file.
indirect enum PropertyListValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Data)
    case string(String)
    /// A reference of a keyed archive.
    case uid(Int)
    case array([PropertyListValue])
    /// Keys and values in the order in which they are written.
    case dictionary([(key: String, value: PropertyListValue)])

    static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)), (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.string(let a), .string(let b)): ExactText(a) == ExactText(b)
        case (.uid(let a), .uid(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.key == $1.key && $0.value == $1.value }
        default: false
        }
    }
}

/// Writes binary property lists.
struct BinaryPropertyListWriter {
    private var objects: [Data] = []
    private var collections: [(index: Int, references: [Int])] = []
    private var strings: [ExactText: Int] = [:]

    /// The file of a value.
    static func write(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(value)
        return writer.file(top: top)
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .null: return append(Data([0x00]))
        case .boolean(let value): return append(Data([value ? 0x09 : 0x08]))
        case .integer(let value): return append(Self.integer(value))
        case .real(let value): return append(Data([0x23]) + Self.bigEndian(value.bitPattern, size: 8))
        case .date(let value): return append(Data([0x33]) + Self.bigEndian(value.bitPattern, size: 8))
        case .data(let value): return append(Self.marker(0x40, count: value.count) + value)
        case .string(let value): return add(string: value)
        case .uid(let value):
            let size = Self.size(of: UInt64(value))
            return append(Data([0x80 | UInt8(size - 1)]) + Self.bigEndian(UInt64(value), size: size))
        case .array(let values):
            let index = append(Self.marker(0xA0, count: values.count))
            var references: [Int] = []
            for value in values { references.append(add(value)) }
            collections.append((index, references))
            return index
        case .dictionary(let pairs):
            let index = append(Self.marker(0xD0, count: pairs.count))
            var references: [Int] = []
            for pair in pairs { references.append(add(string: pair.key)) }
            for pair in pairs { references.append(add(pair.value)) }
            collections.append((index, references))
            return index
        }
    }

    private mutating func add(string: String) -> Int {
        if let index = strings[ExactText(string)] { return index }
        let index: Int
        if string.utf8.allSatisfy({ $0 < 0x80 }) {
            index = append(Self.marker(0x50, count: string.utf8.count) + Data(string.utf8))
        } else {
            var data = Self.marker(0x60, count: string.utf16.count)
            for unit in string.utf16 { data.append(Self.bigEndian(UInt64(unit), size: 2)) }
            index = append(data)
        }
        strings[ExactText(string)] = index
        return index
    }

    private mutating func append(_ data: Data) -> Int {
        objects.append(data)
        return objects.count - 1
    }

    private func file(top: Int) -> Data {
        let referenceSize = Self.size(of: UInt64(objects.count))
        var contents = objects
        for (index, references) in collections {
            for reference in references {
                contents[index].append(Self.bigEndian(UInt64(reference), size: referenceSize))
            }
        }
        var file = Data("bplist00".utf8)
        var offsets: [Int] = []
        for content in contents {
            offsets.append(file.count)
            file.append(content)
        }
        let table = file.count
        let offsetSize = Self.size(of: UInt64(table))
        for offset in offsets { file.append(Self.bigEndian(UInt64(offset), size: offsetSize)) }
        file.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        for value in [objects.count, top, table] { file.append(Self.bigEndian(UInt64(value), size: 8)) }
        return file
    }

    private static func marker(_ kind: UInt8, count: Int) -> Data {
        count < 15 ? Data([kind | UInt8(count)]) : Data([kind | 0x0F]) + integer(Int64(count))
    }

    private static func integer(_ value: Int64) -> Data {
        // Negative numbers always take eight bytes.
        let size = value < 0 ? 8 : size(of: UInt64(value))
        let exponent: UInt8 =
            switch size {
            case 1: 0
            case 2: 1
            case 4: 2
            default: 3
            }
        return Data([0x10 | exponent]) + bigEndian(UInt64(bitPattern: value), size: size)
    }

    /// The least of 1, 2, 4 and 8 bytes that holds a number.
    private static func size(of value: UInt64) -> Int {
        switch value {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bigEndian(_ value: UInt64, size: Int) -> Data {
        Data((0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) })
    }
}

import CoreData
import Foundation

/// A value of a row, in the forms it is printed in.
enum Cell {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// As Swift or the decimal writes it.
    case number(String)
    case text(String)
    case bytes(Int64)

    init(_ value: Any?, _ column: FetchColumn) {
        // Casts that fail take longer than all the rest: what is likely comes first.
        if column.isNumber || column.kind == .boolean, let number = value as? NSNumber {
            self = Self.number(number, column.kind)
            return
        }
        switch value {
        case nil: self = .null
        case let text as String: self = .text(text)
        case let date as Date: self = Self.date(date)
        case let record as StoreQuery.Reference: self = .text("\(record.entity)/p\(record.key)")
        case let uuid as UUID: self = .text(uuid.uuidString)
        case let url as URL: self = .text(url.absoluteString)
        case let data as Data: self = .bytes(Int64(data.count))
        case let number as NSNumber: self = Self.number(number, column.kind)
        case let value?: self = .text("\(value)")
        }
    }

    private static func number(_ number: NSNumber, _ kind: FetchColumn.Kind) -> Cell {
        switch kind {
        case .boolean: return .boolean(number.boolValue)
        case .bytes: return .bytes(number.int64Value)
        case .plain: break
        }
        if let decimal = number as? NSDecimalNumber { return .number(decimal.decimalValue.description) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): return .number("\(number.doubleValue)")
        case UInt8(ascii: "f"):
            // The digits that stand for the float, not those of its neighbour among doubles.
            return .number("\(number.floatValue)")
        default: return .integer(number.int64Value)
        }
    }

    private static func date(_ date: Date) -> Cell {
        Timestamp.text(date).map(Cell.text) ?? .number("\(date.timeIntervalSinceReferenceDate)")
    }

    /// In a table: one line, cut off behind so many columns.
    func shown(limit: Int) -> String {
        switch self {
        case .null: return ""
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .number(let text): return text
        case .bytes(let count): return Quantity.size(count)
        case .text(let text):
            let printable = text.printable(limit: limit)
            return printable.columns <= limit ? printable : printable.prefix(columns: limit - 1) + "…"
        }
    }

    var json: JSON {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        // An infinity and what is no number have no form.
        case .number(let text): text.utf8.last.map { $0 >= 0x30 && $0 <= 0x39 } == true ? .digits(text) : .null
        case .text(let text): .text(text)
        case .bytes(let count): .object([("bytes", .integer(count))])
        }
    }

    /// By RFC 4180; nothing for nil, quotes alone for an empty text.
    var csv: String {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let text): text
        case .bytes(let count): "\(count) bytes"
        case .text(let text): text.csv
        }
    }
}

extension String {
    /// As many characters from the start as fit into so many columns of a terminal.
    fileprivate func prefix(columns limit: Int) -> String {
        var result = ""
        var width = 0
        for character in self {
            width += String(character).columns
            if width > limit { break }
            result.append(character)
        }
        return result
    }

    /// As a field of a line of values: quoted where it must be. Line ends and tabs stay, other controls are escaped as elsewhere.
    var csv: String {
        if isPlain, let first = utf8.first, first != 0x20, utf8.last != 0x20 { return self }
        var result = ""
        var mustBeQuoted = isEmpty
        for scalar in unicodeScalars {
            switch scalar {
            case "\"":
                result += "\"\""
                mustBeQuoted = true
            case ",", "\n", "\r":
                result.unicodeScalars.append(scalar)
                mustBeQuoted = true
            case "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.isUnprintable: result += String(scalar).printable
            default: result.unicodeScalars.append(scalar)
            }
        }
        if result.first == " " || result.last == " " { mustBeQuoted = true }
        return mustBeQuoted ? "\"" + result + "\"" : result
    }
}

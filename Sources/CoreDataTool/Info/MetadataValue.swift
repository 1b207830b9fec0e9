import Foundation

/// Values of the metadata's property list.
enum MetadataValue {
    /// Short, for people.
    static func text(_ value: Any) -> String {
        switch value {
        case let value as String: value.printable(limit: 120)
        case let value as Data: "data, \(Quantity.count(Int64(value.count), "byte"))"
        case let value as Date: Quantity.time(value) ?? "\(value.timeIntervalSinceReferenceDate) s after 2001"
        case let value as NSNumber: isBoolean(value) ? (value.boolValue ? "yes" : "no") : value.stringValue
        case let value as [Any]: Quantity.count(Int64(value.count), "value")
        case let value as [String: Any]:
            "dictionary of " + value.keys.sorted().prefix(8).map { $0.printable(limit: 60) }.joined(separator: ", ")
                + (value.count > 8 ? ", …" : "")
        default: "a \(type(of: value))"
        }
    }

    /// In full. Data are base64 and dates text, each in an object that says so.
    static func json(_ value: Any, depth: Int = 0) -> JSON {
        // Metadata nest 64 deep at most; this only keeps a mistake there from becoming one here.
        if depth > 100 { return .null }
        switch value {
        case let value as String: return .text(value)
        case let value as Data: return .object([("data", .text(value.base64EncodedString()))])
        case let value as Date:
            return .object([("date", .text(orNull: Quantity.time(value)))])
        case let value as NSNumber:
            if isBoolean(value) { return .boolean(value.boolValue) }
            let isReal = ["f", "d"].contains(UnicodeScalar(UInt8(bitPattern: value.objCType[0])))
            return isReal ? .number(value.doubleValue) : .integer(value.int64Value)
        case let value as [Any]: return .list(value.map { json($0, depth: depth + 1) })
        case let value as [String: Any]:
            return .object(value.sorted { $0.key < $1.key }.map { ($0.key, json($0.value, depth: depth + 1)) })
        default: return .null
        }
    }

    private static func isBoolean(_ value: NSNumber) -> Bool {
        ["c", "B"].contains(UnicodeScalar(UInt8(bitPattern: value.objCType[0])))
    }
}

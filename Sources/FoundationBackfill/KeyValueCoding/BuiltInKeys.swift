import Foundation

/// The properties of Foundation's values that predicates ask for by name (`length > 3` of a text).
enum BuiltInKeys {
    static func value(of object: Any, key: String) -> Any? {
        switch ComparableValue(object) {
        case .text(let text): value(of: text, key: key)
        case .integer, .real, .decimal: number(object, key: key)
        case .date(let seconds): date(seconds, key: key)
        case .uuid(let uuid): key == "uuidString" || key == "UUIDString" ? uuid.uuidString : nil
        case .data(let data): key == "length" || key == "count" ? NSNumber(value: data.count) : nil
        case .url(let text): URL(string: text).flatMap { value(of: $0, key: key) }
        default: nil
        }
    }

    private static func value(of text: String, key: String) -> Any? {
        switch key {
        case "length": NSNumber(value: text.utf16.count)
        case "uppercaseString": text.uppercased()
        case "lowercaseString": text.lowercased()
        case "capitalizedString": text.capitalized
        case "intValue", "integerValue", "longLongValue": NSNumber(value: (text as NSString).longLongValue)
        case "doubleValue", "floatValue": NSNumber(value: (text as NSString).doubleValue)
        case "boolValue": NSNumber(value: (text as NSString).boolValue)
        case "description": text
        default: nil
        }
    }

    private static func number(_ object: Any, key: String) -> Any? {
        guard let number = ComparableValue(object).number else { return nil }
        switch key {
        case "intValue", "integerValue", "longLongValue": return NSNumber(value: number.int64Value)
        case "doubleValue", "floatValue": return NSNumber(value: number.doubleValue)
        case "boolValue": return NSNumber(value: number.boolValue)
        case "stringValue", "description": return number.stringValue
        default: return nil
        }
    }

    private static func date(_ seconds: Double, key: String) -> Any? {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        switch key {
        case "timeIntervalSinceReferenceDate": return NSNumber(value: seconds)
        case "timeIntervalSince1970": return NSNumber(value: date.timeIntervalSince1970)
        case "timeIntervalSinceNow": return NSNumber(value: date.timeIntervalSinceNow)
        default: return nil
        }
    }

    private static func value(of url: URL, key: String) -> Any? {
        switch key {
        case "absoluteString": url.absoluteString
        case "path": url.path
        case "lastPathComponent": url.lastPathComponent
        case "pathExtension": url.pathExtension
        case "host": url.host
        case "scheme": url.scheme
        case "query": url.query
        default: nil
        }
    }
}

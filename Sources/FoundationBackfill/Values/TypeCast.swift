import Foundation

/// `CAST(value, "type")`.
package enum TypeCast {
    /// The value turned into the type of that (Foundation) name; nil if it cannot be.
    package static func value(_ value: Any, as type: String) -> Any? {
        let comparable = ComparableValue(value)
        switch type {
        case "NSDate", "Date":
            switch comparable {
            case .integer(let seconds): return Date(timeIntervalSinceReferenceDate: Double(seconds))
            case .real(let seconds), .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
            default: return nil
            }
        case "NSNumber":
            switch comparable {
            case .text(let text):
                return ComparableValue.number(fromText: text)?.number ?? Double(text).map(NSNumber.init(value:))
            case .date(let seconds): return NSNumber(value: seconds)
            default: return comparable.numericValue
            }
        case "NSDecimalNumber":
            return comparable.text.flatMap { Decimal(string: $0) }
        case "NSString", "NSConstantString", "String":
            if case .date(let seconds) = comparable { return Date(timeIntervalSinceReferenceDate: seconds).description }
            return comparable.text
        case "NSUUID", "UUID": return comparable.text.flatMap(UUID.init(uuidString:))
        case "NSURL", "URL": return comparable.text.flatMap(URL.init(string:))
        case "NSData", "Data":
            switch comparable {
            case .data(let data): return data
            case .text(let text): return Data(base64Encoded: text)
            default: return nil
            }
        default: return nil
        }
    }
}

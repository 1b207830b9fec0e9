import Foundation

extension ModelXMLReader {
    /// The default value of an attribute, in the class that its objects have; nil if there is none, or the text cannot be
    /// one.
    static func defaultValue(of element: ModelXMLElement, type: NSAttributeType) -> Any? {
        if type == .dateAttributeType, let seconds = element["defaultDateTimeInterval"].flatMap({ Double($0) }) {
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return element["defaultValueString"].flatMap { value($0, type: type) }
    }

    /// A value by its text in the model's XML; nil if the text is none of the type.
    static func value(_ text: String, type: NSAttributeType) -> Any? {
        switch type {
        case .stringAttributeType: text
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            integer(text).map { NSNumber(value: $0) }
        case .booleanAttributeType: number(text).map { NSNumber(value: $0 != 0) }
        case .doubleAttributeType: number(text).map { NSNumber(value: $0) }
        case .floatAttributeType: number(text).map { NSNumber(value: Float($0)) }
        case .decimalAttributeType: Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
        case .dateAttributeType: date(text)
        case .UUIDAttributeType: UUID(uuidString: text)
        case .URIAttributeType: URL(string: text)
        default: nil
        }
    }

    /// A number, or 1 and 0 for "YES" and "NO".
    static func number(_ text: String) -> Double? {
        switch text {
        case "YES", "true": 1
        case "NO", "false": 0
        default: Double(text)
        }
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? number(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }

    /// A date in the form of old files, which name the time zone: `2010-01-01 01:00:00 +0000`. Others say nothing certain.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        return formatter.date(from: text)
    }
}

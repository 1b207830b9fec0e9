import Foundation

extension NSAttributeType {
    /// A default value in the class that objects of this type have: `NSNumber`, `NSDecimalNumber`, `String`, `Date`, `Data`,
    /// `UUID`, `URL`. nil if the value cannot be one of this type; model files hold such values.
    func normalized(_ value: Any) -> Any? {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            (value as? NSNumber).map { NSNumber(value: $0.int64Value) }
        case .booleanAttributeType:
            (value as? NSNumber).map { NSNumber(value: $0.boolValue) }
        case .doubleAttributeType:
            (value as? NSNumber).map { NSNumber(value: $0.doubleValue) }
        case .floatAttributeType:
            (value as? NSNumber).map { NSNumber(value: $0.floatValue) }
        case .decimalAttributeType:
            (value as? NSDecimalNumber) ?? (value as? NSNumber).map { NSDecimalNumber(decimal: $0.decimalValue) }
        case .stringAttributeType: value as? String
        case .dateAttributeType: value as? Date
        case .binaryDataAttributeType: value as? Data
        case .UUIDAttributeType: value as? UUID
        case .URIAttributeType: value as? URL
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType:
            value
        }
    }
}

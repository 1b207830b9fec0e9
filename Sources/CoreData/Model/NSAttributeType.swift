/// The type of an attribute's value. The raw values are part of model files and version hashes.
public enum NSAttributeType: UInt, Sendable {
    /// No type; legal for transient attributes only.
    case undefinedAttributeType = 0
    /// A 16-bit signed integer.
    case integer16AttributeType = 100
    /// A 32-bit signed integer.
    case integer32AttributeType = 200
    /// A 64-bit signed integer.
    case integer64AttributeType = 300
    /// A `NSDecimalNumber`.
    case decimalAttributeType = 400
    /// A 64-bit floating-point number.
    case doubleAttributeType = 500
    /// A 32-bit floating-point number.
    case floatAttributeType = 600
    /// A text.
    case stringAttributeType = 700
    /// A truth value.
    case booleanAttributeType = 800
    /// A point in time, stored as seconds since 2001-01-01 UTC.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A URI.
    case URIAttributeType = 1200
    /// A value that a value transformer turns into bytes.
    case transformableAttributeType = 1800
    /// A managed object id; only the result of an expression, never a stored attribute.
    case objectIDAttributeType = 2000
    /// A group of attributes; see ``NSCompositeAttributeDescription``.
    case compositeAttributeType = 2100
}

extension NSAttributeDescription {
    /// The Swift form of ``NSAttributeType``: `.string`, `.integer64`, `.date`…
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The type as the older interface names it.
        public var rawValue: NSAttributeType

        /// Wraps a type of the older interface.
        public init(rawValue: NSAttributeType) {
            self.rawValue = rawValue
        }

        /// No type; legal for transient attributes only.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A 16-bit signed integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A 32-bit signed integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A 64-bit signed integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A `NSDecimalNumber`.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A 64-bit floating-point number.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A 32-bit floating-point number.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// A text.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// A truth value.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// A value that a value transformer turns into bytes.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// A managed object id.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A group of attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }
}

import Foundation

/// An attribute of an entity: a value of one type.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The type of the attribute's values; undefined until set.
    open var attributeType: NSAttributeType = .undefinedAttributeType {
        willSet { requireMutable("attributeType") }
    }

    /// The type of the attribute's values, in its Swift form.
    public final var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The class of the attribute's values: follows from the type (`"NSString"`, `"NSNumber"`, …) unless it was set,
    /// which is meant for transformable attributes. nil for an undefined type.
    open var attributeValueClassName: String? {
        get { explicitValueClassName ?? attributeType.valueClassName }
        set {
            requireMutable("attributeValueClassName")
            explicitValueClassName = newValue
        }
    }

    /// The value class as set by the author.
    package final var explicitValueClassName: String?

    /// The value of a newly inserted object. The description keeps this very object: changing it afterwards is a mistake.
    open var defaultValue: Any? {
        willSet { requireMutable("defaultValue") }
    }

    /// The name of the value transformer of a transformable attribute; nil means a keyed archive.
    open var valueTransformerName: String? {
        willSet { requireMutable("valueTransformerName") }
    }

    /// Whether large values may be stored in files of their own beside the store. `false` by default.
    open var allowsExternalBinaryDataStorage: Bool = false {
        willSet { requireMutable("allowsExternalBinaryDataStorage") }
    }

    /// Whether the value is kept in the history when an object is deleted. `false` by default.
    open var preservesValueInHistoryOnDeletion: Bool = false {
        willSet { requireMutable("preservesValueInHistoryOnDeletion") }
    }

    /// Bits of an archived attribute's flags that nothing here understands; written back with it.
    final var unknownArchiveFlags = 0

    /// A changeable copy that belongs to no entity.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSAttributeDescription()
        copyAttributeDefinition(to: copy)
        return copy
    }

    /// Copies what every kind of attribute has.
    final func copyAttributeDefinition(to copy: NSAttributeDescription) {
        copyDefinition(to: copy)
        copy.attributeType = attributeType
        copy.explicitValueClassName = explicitValueClassName
        copy.defaultValue = defaultValue
        copy.valueTransformerName = valueTransformerName
        copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        copy.unknownArchiveFlags = unknownArchiveFlags
    }

    override func computeVersionHash() -> Data {
        attributeVersionHash()
    }
}

extension NSAttributeType {
    /// The Foundation class that holds values of this type.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }
}

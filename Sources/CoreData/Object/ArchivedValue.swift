import Foundation

/// The bytes of transformable attributes.
enum ArchivedValue {
    /// The bytes that stand for a value in the store.
    ///
    /// - Throws: `NSError` (134060) naming entity and attribute where the transformer is missing or makes no data.
    static func encode(_ value: Any, _ attribute: NSAttributeDescription) throws -> Data {
        let transformer = try transformer(of: attribute)
        let bytes =
            transformer is NSSecureUnarchiveFromDataTransformer
            ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
        guard let data = bytes as? Data else {
            throw failure(
                attribute,
                "\(type(of: transformer)) made no data of a value of type \(type(of: value)). An archive takes classes that "
                    + "conform to NSSecureCoding only.")
        }
        return data
    }

    /// The value that bytes of the store stand for.
    ///
    /// - Throws: `NSError` (134060) naming entity and attribute where the transformer is missing, or the archive is damaged or
    ///   holds a class that the transformer does not allow.
    static func decode(_ data: Data, _ attribute: NSAttributeDescription) throws -> Any? {
        let transformer = try transformer(of: attribute)
        if transformer is NSSecureUnarchiveFromDataTransformer {
            if let value = transformer.transformedValue(data) { return value }
            throw failure(
                attribute, "The archive is damaged, or holds a class that \(type(of: transformer)) does not allow.")
        }
        guard type(of: transformer).allowsReverseTransformation() else {
            throw failure(attribute, "\(type(of: transformer)) allows no reverse transformation.")
        }
        return transformer.reverseTransformedValue(data)
    }

    /// The attribute's transformer; a keyed archive of allowed classes where it names none. Names of the form `.Class`, as
    /// newer models have, mean the class, which must be registered under its bare name.
    private static func transformer(of attribute: NSAttributeDescription) throws -> ValueTransformer {
        let secure = NSValueTransformerName.secureUnarchiveFromDataTransformerName
        guard let name = attribute.valueTransformerName, !name.isEmpty else {
            if let transformer = ValueTransformer.valueTransformer(forName: secure) { return transformer }
            throw failure(attribute, "No transformer is registered as \(secure.rawValue).")
        }
        if let transformer = ValueTransformer.valueTransformer(forName: NSValueTransformerName(name)) {
            return transformer
        }
        if let bare = name.split(separator: ".").last,
            let transformer = ValueTransformer.valueTransformer(forName: NSValueTransformerName(String(bare)))
        {
            return transformer
        }
        throw failure(attribute, "No value transformer is registered under the name '\(name)'.")
    }

    private static func failure(_ attribute: NSAttributeDescription, _ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSCoreDataError,
            userInfo: [
                NSLocalizedDescriptionKey: "The value of a transformable attribute could not be transformed.",
                NSLocalizedFailureReasonErrorKey:
                    "\(attribute.declaringEntity?.name ?? "").\(attribute.name): \(reason)",
            ])
    }
}

import Foundation

/// A named property of an entity: the superclass of attributes, relationships, fetched properties and expressions.
///
/// A description can be changed until a coordinator uses its model; from then on the model is frozen and a change stops
/// the program, as on Apple's platforms. A copy is changeable again.
///
/// ```swift
/// let title = NSAttributeDescription()
/// title.name = "title"
/// title.type = .string
/// title.isOptional = false
/// ```
///
/// Unchecked `Sendable`: a frozen description is never written again, so any thread may read it; before that it belongs
/// to whoever builds the model.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The property's name; empty until set. Unique within an entity and its superentities.
    open var name: String = "" {
        willSet { requireMutable("name") }
    }

    /// Whether a saved object may hold no value. `true` by default.
    open var isOptional: Bool = true {
        willSet { requireMutable("isOptional") }
    }

    /// Whether the property lives in memory only and is not stored. `false` by default.
    open var isTransient: Bool = false {
        willSet { requireMutable("isTransient") }
    }

    /// Free information of the model's author; counts neither for storage nor for the version hash.
    open var userInfo: [AnyHashable: Any]? = [:] {
        willSet { requireMutable("userInfo") }
    }

    /// A text mixed into the version hash, to mark a change of meaning that the definition does not show.
    open var versionHashModifier: String? {
        willSet { requireMutable("versionHashModifier") }
    }

    /// The name by which migration finds this property in an older model: the property's own name unless set.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set {
            requireMutable("renamingIdentifier")
            explicitRenamingIdentifier = newValue
        }
    }

    /// The renaming identifier as set by the author; what is archived.
    package final var explicitRenamingIdentifier: String?

    /// Whether the property was marked for an index in the old way. Fetch indexes of the entity took its place.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { isMarkedIndexed }
        set {
            requireMutable("isIndexed")
            isMarkedIndexed = newValue
        }
    }

    /// The stored form of the deprecated `isIndexed`, for the engine and the archive.
    package final var isMarkedIndexed = false

    /// The predicates a value must satisfy before it is saved; see ``setValidationPredicates(_:withValidationWarnings:)``.
    public final private(set) var validationPredicates: [NSPredicate] = []

    /// The texts that belong to ``validationPredicates``, one each.
    public final private(set) var validationWarnings: [Any] = []

    /// The entity that declares this property.
    ///
    /// - Precondition: the property belongs to an entity that is alive.
    public final var entity: NSEntityDescription {
        guard let declaringEntity else {
            modelMisuse("\(Self.self) '\(name)': entity is read before the property belongs to an entity.")
        }
        return declaringEntity
    }

    /// The entity that declares this property, nil as long as there is none.
    package final weak var declaringEntity: NSEntityDescription?

    /// Fields of the archive the description was read from that nothing here understands; written back with it.
    final var preservedFields: [String: OpaqueArchivedObject] = [:]

    /// True once a coordinator uses the model.
    package final var isFrozen = false

    /// The hash computed when the model was frozen.
    final var frozenVersionHash: Data?

    /// A property without name or entity.
    public override init() {
        super.init()
    }

    /// Sets the predicates that validation evaluates with the property's value, and the texts of their errors.
    ///
    /// - Parameters:
    ///   - validationPredicates: predicates about the value (`SELF`); nil removes all.
    ///   - validationWarnings: one text a predicate, which becomes the error's `localizedDescription` key.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        requireMutable("setValidationPredicates(_:withValidationWarnings:)")
        let predicates = validationPredicates ?? []
        let warnings = validationWarnings ?? []
        guard predicates.count == warnings.count else {
            modelMisuse(
                "\(Self.self) '\(name)': setValidationPredicates(_:withValidationWarnings:) was given \(predicates.count) "
                    + "predicates and \(warnings.count) warnings; there must be one warning a predicate.")
        }
        storeValidation(predicates: predicates, warnings: warnings)
    }

    /// Sets predicates and warnings as an archive holds them, where the lists may differ in length.
    final func storeValidation(predicates: [NSPredicate], warnings: [Any]) {
        validationPredicates = predicates
        validationWarnings = warnings
    }

    /// The SHA-256 digest (32 bytes) over what storage depends on. Equal definitions have equal hashes.
    public final var versionHash: Data {
        frozenVersionHash ?? computeVersionHash()
    }

    /// The hash of a property: its name, flags and modifier. Subclasses add to it.
    func computeVersionHash() -> Data {
        baseVersionHash()
    }

    /// A changeable copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPropertyDescription()
        copyDefinition(to: copy)
        return copy
    }

    /// Copies what every kind of property has.
    final func copyDefinition(to copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.explicitRenamingIdentifier = explicitRenamingIdentifier
        copy.isMarkedIndexed = isMarkedIndexed
        copy.preservedFields = preservedFields
        copy.storeValidation(predicates: validationPredicates, warnings: validationWarnings)
    }

    /// The definition in one line, for people.
    open override var description: String { textForDebugging }

    /// What predicates may ask of a description, such as `$FETCHED_PROPERTY.userInfo.limit`; nil for another key.
    public final func value(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "name": name
        case "userInfo": userInfo
        case "isOptional", "optional": NSNumber(value: isOptional)
        case "isTransient", "transient": NSNumber(value: isTransient)
        case "renamingIdentifier": renamingIdentifier
        case "versionHashModifier": versionHashModifier
        case "entity": declaringEntity
        default: nil
        }
    }

    /// Stops the program if the model is in use.
    final func requireMutable(_ member: StaticString) {
        if isFrozen {
            modelMisuse(
                "Can't modify an immutable model: \(member) of property '\(name)' of entity "
                    + "'\(declaringEntity?.name ?? "")' was changed after a coordinator used the model. Change a copy.")
        }
    }
}

extension NSPropertyDescription: KeyValueCoding {}

/// Stops the program with a message: a mistake in the program's use of a model, where Apple's framework raises an exception. The
/// message is printed in release builds too.
func modelMisuse(_ message: String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}

import Foundation

/// The description of an entity: a kind of record, with its properties and its place in the hierarchy.
///
/// ```swift
/// let book = NSEntityDescription()
/// book.name = "Book"
/// book.managedObjectClassName = "Book"
/// book.properties = [title, author]
/// ```
///
/// Unchecked `Sendable`: a frozen entity is never written again, so any thread may read it; before that it belongs to
/// whoever builds the model.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The entity's name, unique within a model.
    open var name: String? {
        willSet { requireMutable("name") }
    }

    /// The name of the class of the entity's objects; `"NSManagedObject"` unless set.
    open var managedObjectClassName: String! = "NSManagedObject" {
        willSet { requireMutable("managedObjectClassName") }
        didSet {
            if managedObjectClassName == nil { managedObjectClassName = "NSManagedObject" }
        }
    }

    /// Whether there are objects of the subentities only. `false` by default.
    open var isAbstract: Bool = false {
        willSet { requireMutable("isAbstract") }
    }

    /// Free information of the model's author; counts neither for storage nor for the version hash.
    open var userInfo: [AnyHashable: Any]? = [:] {
        willSet { requireMutable("userInfo") }
    }

    /// A text mixed into the version hash, to mark a change of meaning that the definition does not show.
    open var versionHashModifier: String? {
        willSet { requireMutable("versionHashModifier") }
    }

    /// The name by which migration finds this entity in an older model: the entity's own name unless set.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set {
            requireMutable("renamingIdentifier")
            explicitRenamingIdentifier = newValue
        }
    }

    /// The renaming identifier as set by the author; what is archived.
    package final var explicitRenamingIdentifier: String?

    /// The model that holds the entity.
    ///
    /// - Precondition: the entity belongs to a model that is alive.
    public final var managedObjectModel: NSManagedObjectModel {
        guard let owningModel else {
            modelMisuse(
                "Entity '\(name ?? "")': managedObjectModel is read, but the entity belongs to no living model.")
        }
        return owningModel
    }

    /// The model that holds the entity, nil as long as there is none.
    package final weak var owningModel: NSManagedObjectModel?

    /// The entity this one inherits from. Not retained: the model owns its entities.
    public final internal(set) weak var superentity: NSEntityDescription?

    /// The properties that this entity itself declares, in the order given.
    package final var ownProperties: [NSPropertyDescription] = []

    /// The entities that inherit from this one.
    open var subentities: [NSEntityDescription] {
        get { storedSubentities }
        set {
            requireMutable("subentities")
            if let ancestor = newValue.first(where: { isKindOf(entity: $0) }) {
                modelMisuse(
                    "Entity '\(ancestor.name ?? "")' cannot be a subentity of '\(name ?? "")', which is itself or inherits "
                        + "from it.")
            }
            for entity in storedSubentities where entity.superentity === self {
                entity.superentity = nil
            }
            storedSubentities = newValue
            for entity in newValue {
                entity.superentity = self
                if let owningModel {
                    entity.join(owningModel)
                }
            }
            dropIndexesOfHierarchy()
        }
    }
    final var storedSubentities: [NSEntityDescription] = []

    /// The indexes of the entity's own declaration; subentities do not report them. They are dropped when properties or
    /// subentities of the hierarchy change afterwards, so set them last.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { requireMutable("indexes") }
        didSet { adoptIndexes() }
    }

    /// The sets of attributes whose values together are unique, as names. They may be given as attribute descriptions.
    /// Subentities inherit the constraints without reporting them.
    open var uniquenessConstraints: [[Any]] {
        get { constraintNames }
        set {
            requireMutable("uniquenessConstraints")
            constraintNames = newValue.map { constraint in
                constraint.map { element in
                    switch element {
                    case let name as String: return name
                    case let property as NSPropertyDescription: return property.name
                    default:
                        modelMisuse(
                            "Entity '\(name ?? "")': uniquenessConstraints takes attribute names or descriptions, not "
                                + "\(Swift.type(of: element)).")
                    }
                }
            }
        }
    }

    /// The uniqueness constraints of the entity's own declaration, by attribute name.
    package final var constraintNames: [[String]] = []

    /// Always empty; setting it does nothing, as on current Apple systems.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var compoundIndexes: [[Any]] {
        get { [] }
        set { requireMutable("compoundIndexes") }
    }

    /// The compound indexes of an old model file, by property name; kept for the archive. ``indexes`` hold them too.
    final var recordedCompoundIndexes: [[String]] = []

    /// Fields of the archive the description was read from that nothing here understands; written back with it.
    final var preservedFields: [String: OpaqueArchivedObject] = [:]

    /// True once a coordinator uses the model.
    package final internal(set) var isFrozen = false

    /// What was computed when the model was frozen; nil before.
    @exclusivity(unchecked) final var frozen: FrozenEntity?

    /// Where the properties stand in the entity's rows; made when the model is frozen.
    @exclusivity(unchecked) final var frozenLayout: SlotLayout?
    /// The layout of an entity whose model is gone, as long as there are objects.
    final weak var formerLayout: SlotLayout?

    /// An entity without name, properties or model.
    public override init() {
        super.init()
    }

    /// The definition in one line, for people.
    open override var description: String { textForDebugging }

    /// Stops the program if the model is in use.
    final func requireMutable(_ member: StaticString) {
        if isFrozen {
            modelMisuse(
                "Can't modify an immutable model: \(member) of entity '\(name ?? "")' was changed after a coordinator used "
                    + "the model. Change a copy.")
        }
    }

    /// Makes the entity and its subentities members of a model.
    final func join(_ model: NSManagedObjectModel?) {
        owningModel = model
        for entity in storedSubentities {
            entity.join(model)
        }
    }

    private func adoptIndexes() {
        for index in indexes {
            index.entity = self
            for element in index.elements where element.property == nil {
                element.property = element.propertyName.flatMap { propertiesByName[$0] }
            }
        }
    }

    /// Drops the indexes of the whole hierarchy, whose definition has changed.
    final func dropIndexesOfHierarchy() {
        let root = rootEntity
        for entity in [root] + root.allSubentities where !entity.indexes.isEmpty {
            entity.indexes = []
        }
    }

    /// A changeable copy of the entity with its properties and subentities, which belongs to no model. Relationships
    /// among the copied entities lead to the copies, others to where they led before.
    open func copy(with zone: NSZone? = nil) -> Any {
        EntityCopier.copy([self])[0]
    }
}

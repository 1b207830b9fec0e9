import Foundation

/// The description of a schema: its entities, configurations and fetch request templates.
///
/// A model can be changed until a coordinator uses it; from then on it is frozen and a change stops the program, as on
/// Apple's platforms. A copy is changeable again.
///
/// ```swift
/// let model = NSManagedObjectModel()
/// model.entities = [book, author]
/// ```
///
/// Unchecked `Sendable`: a frozen model is never written again, so any thread may read it; before that it belongs to whoever
/// builds it.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
    /// The entities of the model, in the order given. Subentities that the list leaves out follow their parents.
    open var entities: [NSEntityDescription] {
        get { storedEntities }
        set {
            requireMutable("entities")
            for entity in storedEntities where entity.owningModel === self {
                entity.owningModel = nil
            }
            storedEntities = Self.completed(newValue)
            for entity in storedEntities {
                entity.join(self)
            }
        }
    }
    final var storedEntities: [NSEntityDescription] = []

    /// The entities by name. Complexity: O(1) once the model is frozen.
    public final var entitiesByName: [String: NSEntityDescription] {
        frozen?.entitiesByName
            ?? Dictionary(
                storedEntities.compactMap { entity in entity.name.map { ($0, entity) } }, uniquingKeysWith: { $1 })
    }

    /// Texts for names and messages in the user's language, by keys such as `"Entity/NAME"`, `"Property/NAME"`,
    /// `"Property/NAME/Entity/ENTITY"` and `"ErrorString/TEXT"`.
    open var localizationDictionary: [String: String]?

    /// Hints of the developer about the version; they do not decide whether a store fits.
    open var versionIdentifiers: Set<AnyHashable> = [] {
        willSet { requireMutable("versionIdentifiers") }
    }

    /// The fetch request templates by name.
    final var storedTemplates: [String: NSFetchRequest<NSFetchRequestResult>] = [:]

    /// Templates of the archive the model was read from that are not understood; written back with it.
    final var preservedTemplates: [String: OpaqueArchivedObject] = [:]

    /// The names of the entities of each configuration.
    final var configurationMembers: [String: [String]] = [:]

    /// Fields of the archive the description was read from that nothing here understands; written back with it.
    final var preservedFields: [String: OpaqueArchivedObject] = [:]

    /// Whether what old index marks stand for is among the fetch indexes already: true for every model that was read, false
    /// for one built in code until it is frozen.
    final var hasConvertedIndexMarks = false

    /// What was computed when the model was frozen; nil before.
    final var frozen: FrozenModel?

    /// True once a coordinator uses the model.
    package final var isFrozen: Bool { frozen != nil }

    /// A model without entities.
    public override init() {
        super.init()
    }

    deinit { handOverEntities() }

    /// The definition in one line, for people.
    open override var description: String { textForDebugging }

    /// A changeable copy of the whole model.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        copy.entities = EntityCopier.copy(storedEntities)
        copy.localizationDictionary = localizationDictionary
        copy.versionIdentifiers = versionIdentifiers
        copy.configurationMembers = configurationMembers
        copy.storedTemplates = storedTemplates.mapValues { $0.resolvedCopy(in: copy) }
        copy.preservedFields = preservedFields
        copy.preservedTemplates = preservedTemplates
        copy.hasConvertedIndexMarks = hasConvertedIndexMarks
        return copy
    }

    /// Stops the program if the model is in use.
    final func requireMutable(_ member: StaticString) {
        if isFrozen {
            modelMisuse(
                "Can't modify an immutable model: \(member) was changed after a coordinator used the model. Change a copy."
            )
        }
    }

    /// The entities and, after each, the subentities that the list does not name.
    private static func completed(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var seen = Set(entities.map(ObjectIdentifier.init))
        var result: [NSEntityDescription] = []
        for entity in entities {
            result.append(entity)
            for subentity in entity.allSubentities where seen.insert(ObjectIdentifier(subentity)).inserted {
                result.append(subentity)
            }
        }
        return result
    }
}

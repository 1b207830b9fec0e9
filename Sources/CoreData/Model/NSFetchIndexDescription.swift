import Foundation

/// The kind of an index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary sorted index.
    case binary = 0
    /// An R-tree over number ranges.
    case rTree = 1
}

/// An index over one or more properties of an entity.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The index's name, unique within the entity.
    open var name: String {
        willSet { requireMutable("name") }
    }

    /// The index's elements, in order. Binary and R-tree elements cannot be mixed.
    open var elements: [NSFetchIndexElementDescription] {
        willSet {
            requireMutable("elements")
            Self.requireOneKind(of: newValue, indexName: name)
        }
        didSet { adoptElements() }
    }

    /// The rows that the index covers; nil means all.
    open var partialIndexPredicate: NSPredicate? {
        willSet { requireMutable("partialIndexPredicate") }
    }

    /// The entity whose ``NSEntityDescription/indexes`` hold the index. Not retained.
    public final internal(set) weak var entity: NSEntityDescription?

    /// Fields of the archive the description was read from that nothing here understands; written back with it.
    final var preservedFields: [String: OpaqueArchivedObject] = [:]

    /// True once a coordinator uses the model.
    final var isFrozen = false

    /// An index with a name and its elements.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        Self.requireOneKind(of: self.elements, indexName: name)
        adoptElements()
    }

    /// A changeable copy with copies of the elements, which belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: name, elements: elements.compactMap { $0.copy(with: zone) as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        copy.preservedFields = preservedFields
        return copy
    }

    private func adoptElements() {
        for element in elements {
            element.indexDescription = self
        }
    }

    private static func requireOneKind(of elements: [NSFetchIndexElementDescription], indexName: String) {
        guard let first = elements.first else { return }
        if elements.contains(where: { $0.collationType != first.collationType }) {
            modelMisuse("Fetch index '\(indexName)': binary and R-tree elements cannot be mixed.")
        }
    }

    private func requireMutable(_ member: StaticString) {
        if isFrozen {
            modelMisuse(
                "Can't modify an immutable model: \(member) of fetch index '\(name)' of entity "
                    + "'\(entity?.name ?? "")' was changed after a coordinator used the model. Change a copy.")
        }
    }
}

/// One property, or expression, of a fetch index.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The property that is indexed: an attribute or relationship of the entity, or an expression description.
    public final internal(set) var property: NSPropertyDescription?

    /// The name of ``property``; known also when only the name was given.
    public final var propertyName: String? { property?.name ?? recordedPropertyName }
    final var recordedPropertyName: String?

    /// The kind of index; binary by default.
    open var collationType: NSFetchIndexElementType {
        willSet { requireMutable("collationType") }
    }

    /// Whether the index sorts upwards; `true` by default.
    open var isAscending: Bool = true {
        willSet { requireMutable("isAscending") }
    }

    /// The index the element belongs to. Not retained.
    public final internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// An element for a property.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
    }

    /// An element for a property that a model file names before it is known.
    init(propertyName: String?, collationType: NSFetchIndexElementType) {
        self.recordedPropertyName = propertyName
        self.collationType = collationType
        super.init()
    }

    /// A changeable copy that belongs to no index.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexElementDescription(propertyName: propertyName, collationType: collationType)
        copy.property = property
        copy.isAscending = isAscending
        return copy
    }

    private func requireMutable(_ member: StaticString) {
        if let index = indexDescription, index.isFrozen {
            modelMisuse(
                "Can't modify an immutable model: \(member) of an element of fetch index '\(index.name)' of entity "
                    + "'\(index.entity?.name ?? "")' was changed after a coordinator used the model. Change a copy.")
        }
    }
}

import Foundation
import Synchronization

/// What the word of a slot holds.
enum SlotKind: UInt8, Sendable {
    /// A signed integer: the integer attributes.
    case integer
    /// 0 or 1.
    case boolean
    /// The bits of a `Double`: `double` attributes.
    case double
    /// The bits of a `Double` that holds a `Float`'s value.
    case float
    /// The bits of a `Double`: seconds since 2001-01-01 UTC.
    case date
    /// Offset and length of the 20 bytes of a `Decimal`.
    case decimal
    /// Offset and length of UTF-8 text.
    case string
    /// Offset and length of UTF-8 text that is an absolute URL.
    case uri
    /// Offset and length of 16 bytes.
    case uuid
    /// Offset and length of bytes. Where external storage is allowed the row already holds the real bytes or a reference.
    case data
    /// Offset and length of the bytes a value transformer made.
    case transformable
    /// The primary key of a to-one's target.
    case toOneKey
    /// The entity ordinal of a to-one's target; only where the destination has subentities. Follows its `toOneKey`.
    case toOneEntity
    /// No stored value: a transient attribute of any type, kept by the object alone.
    case transient

    /// What values of an attribute type are kept as.
    init(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .transformable
        default: self = .transient
        }
    }

    /// Whether objects keep the decoded value in `decoded`. (Texts are kept apart.)
    var isDecoded: Bool {
        switch self {
        case .decimal, .uri, .data, .transformable, .transient: true
        case .integer, .boolean, .double, .float, .date, .string, .uuid, .toOneKey, .toOneEntity: false
        }
    }

    /// Whether the word is offset and length of bytes behind the slots.
    var isVariable: Bool {
        switch self {
        case .decimal, .string, .uri, .uuid, .data, .transformable: true
        case .integer, .boolean, .double, .float, .date, .toOneKey, .toOneEntity, .transient: false
        }
    }
}

/// One word of a row.
struct Slot {
    let kind: SlotKind
    /// Where an object keeps the decoded value, or -1 where decoding costs nothing.
    let decodedIndex: Int32
    /// The property the word belongs to: the attribute (an element of a composite too) or the to-one relationship.
    unowned(unsafe) let property: NSPropertyDescription
    /// The property's name, or the dotted path of a composite's element.
    let path: String
    /// Allowed external binary storage, whose column has a prefix byte.
    let isExternal: Bool
    /// For the key of a to-one: the ordinal of the destination entity, else 0.
    let destinationOrdinal: Int32
}

/// How one property of an entity is found: by the words of a row, or beside it.
enum PropertyPlace {
    /// A stored or transient attribute at a slot.
    case attribute(Int)
    /// A to-one relationship whose key is at a slot; a `toOneEntity` slot follows where `isPolymorphic`.
    case toOne(Int, isPolymorphic: Bool)
    /// A to-many relationship: index into an object's to-many states.
    case toMany(Int)
    /// A composite attribute: name and place of each element, in declared order.
    case composite([(name: String, place: PropertyPlace)])
    /// A fetched property: index among the entity's fetched properties.
    case fetched(Int)
}

/// A property of an entity with its place; one instance a layout, found by name once and kept by typed accessors.
final class PropertyEntry: @unchecked Sendable {
    let name: String
    let place: PropertyPlace
    unowned(unsafe) let property: NSPropertyDescription
    /// The property as what it is, so that hot paths need no cast.
    unowned(unsafe) let attribute: NSAttributeDescription?
    unowned(unsafe) let relationship: NSRelationshipDescription?
    /// The ordinal of a relationship's destination entity, else 0.
    let destinationOrdinal: Int32
    /// The entry of the inverse relationship in the destination's layout; set once, when the model is frozen.
    fileprivate(set) unowned(unsafe) var inverse: PropertyEntry?

    init(name: String, place: PropertyPlace, property: NSPropertyDescription) {
        self.name = name
        self.place = place
        self.property = property
        attribute = property as? NSAttributeDescription
        let relationship = property as? NSRelationshipDescription
        self.relationship = relationship
        destinationOrdinal = relationship?.destinationEntity.map { Int32($0.ordinal) } ?? 0
    }
}

/// Maps an entity's properties to the slots of its rows.
///
/// Inherited properties come first, so that a slot index of an entity holds for each of its subentities. A layout is made
/// once when its model is frozen, never changes, and lives as long as the model.
final class SlotLayout: @unchecked Sendable {
    unowned(unsafe) let entity: NSEntityDescription
    /// Unique in the process; what typed accessors compare to see whether the slot they know is meant.
    let identifier: UInt32
    /// `NSEntityDescription.ordinal` of the entity and of its root entity.
    let ordinal: Int32
    let rootOrdinal: Int32
    let slots: ContiguousArray<Slot>
    /// The slots whose values may lie in external files.
    let externalSlots: ContiguousArray<Int>
    /// All properties, inherited ones first, in slot order.
    let entries: ContiguousArray<PropertyEntry>
    /// The to-many relationships by their index.
    let toManyEntries: ContiguousArray<PropertyEntry>
    let fetchedEntries: ContiguousArray<PropertyEntry>
    /// How many slots have a decoded value that objects keep.
    let decodedCount: Int
    let slotCount: Int
    /// Words that hold the null bits behind the slots.
    let nullWords: Int
    /// What is left of the model, when it is gone and there still are objects.
    var remains: ModelRemains?
    /// What objects of the entity share; made when the first one needs it.
    let knownTraits = Atomic<UnsafeRawPointer?>(nil)
    private let entriesByName: [String: PropertyEntry]
    /// Of each slot, what hot paths look up: plain memory costs no reference count.
    private let facts: UnsafeMutablePointer<SlotFacts>

    private struct SlotFacts {
        let textIndex: Int32
        let destinationOrdinal: Int32
        /// The ordinal of the destination's root entity.
        var destinationRoot: Int32 = 0
    }

    /// How many slots hold text.
    let textCount: Int

    private static let nextIdentifier = Atomic<UInt32>(1)

    /// - Parameter superlayout: the layout of the superentity, whose slots this one's begin with.
    init(entity: NSEntityDescription, superlayout: SlotLayout?) {
        self.entity = entity
        identifier = Self.nextIdentifier.add(1, ordering: .relaxed).newValue
        ordinal = Int32(entity.ordinal)
        rootOrdinal = superlayout?.rootOrdinal ?? Int32(entity.ordinal)
        var builder = Builder(superlayout)
        for property in entity.ownProperties {
            builder.add(property)
        }
        slots = builder.slots
        externalSlots = ContiguousArray(builder.slots.indices.filter { builder.slots[$0].isExternal })
        entries = builder.entries
        toManyEntries = builder.toMany
        fetchedEntries = builder.fetched
        decodedCount = builder.decodedCount
        slotCount = builder.slots.count
        nullWords = (builder.slots.count + 63) / 64
        var byName: [String: PropertyEntry] = [:]
        for entry in builder.entries { byName[entry.name] = entry }
        entriesByName = byName
        facts = .allocate(capacity: max(slots.count, 1))
        var texts: Int32 = 0
        for (index, slot) in slots.enumerated() {
            (facts + index).initialize(
                to: SlotFacts(textIndex: texts, destinationOrdinal: slot.destinationOrdinal))
            if slot.kind == .string { texts += 1 }
        }
        textCount = Int(texts)
    }

    deinit {
        facts.deallocate()
        if let traits = knownTraits.load(ordering: .acquiring) { Unmanaged<ObjectTraits>.fromOpaque(traits).release() }
    }

    /// Where a slot of text stands among those.
    @inline(__always) func textIndex(_ slot: Int) -> Int { Int(facts[slot].textIndex) }
    /// `Slot.destinationOrdinal` of a slot.
    @inline(__always) func destinationOrdinal(_ slot: Int) -> Int32 { facts[slot].destinationOrdinal }
    /// The ordinal of the root entity of what the key of a to-one slot leads to.
    @inline(__always) func destinationRoot(_ slot: Int) -> Int32 { facts[slot].destinationRoot }

    /// The property of that name, or nil. Costs one dictionary look-up: hot paths keep the entry.
    func entry(named name: String) -> PropertyEntry? { entriesByName[name] }

    /// Makes the layouts of a model whose entities have their ordinals: parents first, then inverses are joined.
    static func makeLayouts(_ entities: [NSEntityDescription]) {
        for entity in entities {
            entity.frozenLayout = SlotLayout(entity: entity, superlayout: entity.superentity?.frozenLayout)
        }
        for layout in entities.lazy.compactMap(\.frozenLayout) {
            for (index, slot) in layout.slots.enumerated() where slot.destinationOrdinal > 0 {
                let destination = entities.first { $0.ordinal == Int(slot.destinationOrdinal) }
                layout.facts[index].destinationRoot = destination?.frozenLayout?.rootOrdinal ?? 0
            }
        }
        for entry in entities.lazy.compactMap(\.frozenLayout).flatMap(\.entries) {
            guard let inverse = entry.relationship?.inverseRelationship,
                let destination = entry.relationship?.destinationEntity?.frozenLayout
            else { continue }
            entry.inverse = destination.entry(named: inverse.name)
        }
    }

    private struct Builder {
        var slots: ContiguousArray<Slot>
        var entries: ContiguousArray<PropertyEntry>
        var toMany: ContiguousArray<PropertyEntry>
        var fetched: ContiguousArray<PropertyEntry>
        var decodedCount: Int

        init(_ base: SlotLayout?) {
            slots = base?.slots ?? []
            entries = base?.entries ?? []
            toMany = base?.toManyEntries ?? []
            fetched = base?.fetchedEntries ?? []
            decodedCount = base?.decodedCount ?? 0
        }

        mutating func add(_ property: NSPropertyDescription) {
            let place: PropertyPlace
            switch property {
            case let composite as NSCompositeAttributeDescription where !composite.isTransient:
                place = addComposite(composite, path: composite.name)
            case let attribute as NSAttributeDescription:
                place = addAttribute(attribute, path: attribute.name)
            case let relationship as NSRelationshipDescription where relationship.isToMany:
                place = .toMany(toMany.count)
            case let relationship as NSRelationshipDescription:
                let slot = slots.count
                addSlot(.toOneKey, relationship, path: relationship.name, decoded: false)
                let isPolymorphic = relationship.destinationEntity.map { !$0.subentities.isEmpty } ?? false
                if isPolymorphic {
                    addSlot(.toOneEntity, relationship, path: relationship.name, decoded: false)
                }
                place = .toOne(slot, isPolymorphic: isPolymorphic)
            default:
                place = .fetched(fetched.count)
            }
            let entry = PropertyEntry(name: property.name, place: place, property: property)
            entries.append(entry)
            switch place {
            case .toMany: toMany.append(entry)
            case .fetched: fetched.append(entry)
            default: break
            }
        }

        private mutating func addComposite(_ composite: NSCompositeAttributeDescription, path: String) -> PropertyPlace
        {
            var children: [(name: String, place: PropertyPlace)] = []
            for element in composite.elements {
                let elementPath = path + "." + element.name
                if let inner = element as? NSCompositeAttributeDescription {
                    children.append((element.name, addComposite(inner, path: elementPath)))
                } else {
                    children.append((element.name, addAttribute(element, path: elementPath)))
                }
            }
            return .composite(children)
        }

        private mutating func addAttribute(_ attribute: NSAttributeDescription, path: String) -> PropertyPlace {
            let slot = slots.count
            let kind = attribute.isTransient ? .transient : SlotKind(attribute.attributeType)
            addSlot(
                kind, attribute, path: path, decoded: kind.isDecoded,
                isExternal: attribute.allowsExternalBinaryDataStorage
                    && attribute.attributeType == .binaryDataAttributeType)
            return .attribute(slot)
        }

        private mutating func addSlot(
            _ kind: SlotKind, _ property: NSPropertyDescription, path: String, decoded: Bool, isExternal: Bool = false
        ) {
            slots.append(
                Slot(
                    kind: kind, decodedIndex: decoded ? Int32(decodedCount) : -1, property: property, path: path,
                    isExternal: isExternal,
                    destinationOrdinal: (property as? NSRelationshipDescription)?.destinationEntity
                        .map { Int32($0.ordinal) } ?? 0))
            if decoded { decodedCount += 1 }
        }
    }
}

import Foundation

/// What a context looks up by entity ordinal: entities, layouts, roots and the classes of objects, one array access each.
final class ModelIndex {
    private let layouts: ContiguousArray<SlotLayout>
    private var classes: ContiguousArray<NSManagedObject.Type?>
    /// The entities that classes were found to have: `init(context:)` asks for each object.
    private var entities: [ObjectIdentifier: NSEntityDescription] = [:]
    private var lastEntity: (type: NSManagedObject.Type, entity: NSEntityDescription)?
    /// Let go last: when it goes, nobody but objects should hold a layout.
    let model: NSManagedObjectModel

    /// - Parameter model: a frozen model.
    init(_ model: NSManagedObjectModel) {
        self.model = model
        layouts = ContiguousArray(model.entitiesByOrdinal.map(\.slotLayout))
        classes = ContiguousArray(repeating: nil, count: layouts.count)
    }

    var entityCount: Int { layouts.count }

    /// The layout of an ordinal, or nil: ordinals that come from a file may be anything.
    @inline(__always)
    func layout(_ ordinal: Int32) -> SlotLayout? {
        let index = Int(ordinal) - 1
        guard index >= 0, index < layouts.count else { return nil }
        return layouts[index]
    }

    /// The ordinal of the root entity; 0, where nothing is ever found, if there is no such entity.
    @inline(__always)
    func root(_ ordinal: Int32) -> Int32 { layout(ordinal)?.rootOrdinal ?? 0 }

    /// Whether the layout is one of this model's.
    @inline(__always)
    func owns(_ layout: SlotLayout) -> Bool { self.layout(layout.ordinal) === layout }

    /// The class of an entity's objects, looked up once a context.
    @inline(__always)
    func objectClass(_ layout: SlotLayout) -> NSManagedObject.Type {
        let index = Int(layout.ordinal) - 1
        if let known = classes[index] { return known }
        return resolveClass(layout, index)
    }

    /// The one entity of a class, which is looked up by `find` the first time.
    func entity(of type: NSManagedObject.Type, find: () -> NSEntityDescription) -> NSEntityDescription {
        if let lastEntity, lastEntity.type == type { return lastEntity.entity }
        let entity = entities[ObjectIdentifier(type)] ?? find()
        entities[ObjectIdentifier(type)] = entity
        lastEntity = (type, entity)
        return entity
    }

    private func resolveClass(_ layout: SlotLayout, _ index: Int) -> NSManagedObject.Type {
        let resolved = NSManagedObject.runtimeClass(of: layout.entity)
        classes[index] = resolved
        return resolved
    }
}

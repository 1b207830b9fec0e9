import Foundation

// From a class to its entity.

extension NSManagedObject {
    /// The entity of this class in the model of a context.
    static func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
        guard let index = context.index else {
            objectMisuse("\(self)(context:): the context has no persistent store coordinator")
        }
        return index.entity(of: self) { soleEntity(in: index.model) }
    }

    private static func soleEntity(in model: NSManagedObjectModel) -> NSEntityDescription {
        let found = entities(in: model)
        guard let entity = found.first, found.count == 1 else {
            objectMisuse(
                found.isEmpty
                    ? "\(self)(context:): no entity of the context's model has the class \(self). Name it in the model, or use "
                        + "init(entity:insertInto:)."
                    : "\(self)(context:): the entities \(found.compactMap(\.name).sorted().joined(separator: ", ")) share the "
                        + "class \(self). Use init(entity:insertInto:).")
        }
        return entity
    }

    /// The entity of this class in the models that are in use.
    static func entityInModels() -> NSEntityDescription {
        var found: [NSEntityDescription] = []
        for model in ModelsInUse.shared.models { found += entities(in: model) }
        guard let entity = found.last else {
            objectMisuse("\(self).entity(): no model in use has an entity of the class \(self)")
        }
        if found.count > 1 {
            CoreDataLog.warning(
                "Multiple NSEntityDescriptions claim the NSManagedObject subclass '\(self)' so +entity is unable to "
                    + "disambiguate: the newest counts.")
        }
        return entity
    }

    /// What a request for this class' objects names: the entity's name in the models in use, without a warning where they agree.
    static func entityNameForRequests() -> String {
        var names: [String] = []
        for model in ModelsInUse.shared.models {
            for name in entities(in: model).compactMap(\.name) where !names.contains(name) { names.append(name) }
        }
        if names.count == 1 { return names[0] }
        return names.isEmpty ? String(describing: self) : entityInModels().name ?? ""
    }

    /// The entities of a model whose class is this one; those whose superentity has it too are left to that one.
    private static func entities(in model: NSManagedObjectModel) -> [NSEntityDescription] {
        ManagedClassRegistry.shared.note(self)
        return model.entities.filter { entity in
            runtimeClass(of: entity) == self
                && (entity.superentity.map { runtimeClass(of: $0) != self } ?? true)
        }
    }
}

/// The models that coordinators use, in the order in which they were taken into use.
final class ModelsInUse: @unchecked Sendable {
    static let shared = ModelsInUse()

    private struct Entry {
        weak var model: NSManagedObjectModel?
    }

    private let lock = NSLock()
    private var entries: [Entry] = []

    func note(_ model: NSManagedObjectModel) {
        lock.withLock {
            entries.removeAll { $0.model == nil }
            entries.append(Entry(model: model))
        }
    }

    var models: [NSManagedObjectModel] { lock.withLock { entries.compactMap(\.model) } }
}

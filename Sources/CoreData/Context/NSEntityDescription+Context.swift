import Foundation

extension NSEntityDescription {
    /// The entity of that name in the model of the context's coordinator.
    ///
    /// - Returns: nil if the model has no such entity.
    /// - Precondition: the context has a coordinator.
    public class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        guard let model = context.model else {
            contextMisuse(
                "NSEntityDescription.entity(forEntityName:in:): entity '\(entityName)' was looked up for a context that has no "
                    + "persistent store coordinator")
        }
        return model.entitiesByName[entityName]
    }

    /// Makes a new object of the entity of that name in a context, of the class that the entity names.
    ///
    ///     let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    ///
    /// - Precondition: the model of the context's coordinator has the entity, and it is not abstract.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            contextMisuse(
                "NSEntityDescription.insertNewObject(forEntityName:into:) could not locate an entity named '\(entityName)' in "
                    + "the model of the context's coordinator")
        }
        return context.makeObject(entity)
    }
}

extension NSManagedObjectContext {
    /// A new object of the class that the entity names, inserted.
    fileprivate func makeObject(_ entity: NSEntityDescription) -> NSManagedObject {
        let layout = entity.slotLayout
        let type = index?.objectClass(layout) ?? NSManagedObject.self
        let object = NSManagedObject.instantiate(type, entity)
        insertNew(object)
        return object
    }
}

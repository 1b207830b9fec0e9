import Foundation

extension NSManagedObjectContext {
    /// Registers a new object under a temporary id, sets the model's defaults and calls `awakeFromInsert`.
    func insertNew(_ object: NSManagedObject) {
        guard let index else {
            contextMisuse(
                "An object of entity '\(object.layout.entity.name ?? "")' was inserted into a context that has no "
                    + "persistent store coordinator")
        }
        guard index.owns(object.layout) else { refuseForeign(object.layout.entity, in: index) }
        if object.layout.entity.isAbstract {
            contextMisuse("Entity '\(object.layout.entity.name ?? "")' is abstract: it has no objects of its own")
        }
        adoptNew(object)
        object.setDefaultValues()
        object.awakeFromInsert()
    }

    /// Makes the object an inserted one of this context.
    private func adoptNew(_ object: NSManagedObject) {
        if object.key.number == 0 { object.key.number = NSManagedObject.nextTemporaryNumber() }
        object.link = link
        // One that was deleted and is taken back may be on the list still.
        let isListed = object.state.contains(.listed)
        object.state.formUnion([.registered, .inserted, .eventInserted, .listed])
        if object.key.isTemporary { identityMap[temporary: object.key.number] = object } else { registerAgain(object) }
        changes.posted = PendingChanges.Posted()
        changes.noteMethods(of: object)
        changes.insertedCount += 1
        if !isListed { changes.objects.append(object) }
        changes.event.append(object)
        if changes.event.count == 1 { scheduleEvent() }
    }

    private func refuseForeign(_ entity: NSEntityDescription, in index: ModelIndex) -> Never {
        let name = entity.name ?? ""
        contextMisuse(
            index.model.entitiesByName[name] == nil
                ? "Entity '\(name)' is not in the model of the context's coordinator"
                : "Entity '\(name)' belongs to another copy of the model than the context's coordinator has; use the entity "
                    + "of NSEntityDescription.entity(forEntityName:in:)")
    }

    /// Makes an object of this context to be inserted by the next save.
    ///
    /// It is for objects that were made without a context, and it takes back a pending deletion. Objects that are to be inserted
    /// already are reported as inserted once more.
    public func insert(_ object: NSManagedObject) {
        if object.link.context == nil, object.state.isDisjoint(with: [.registered, .detached]) {
            guard let index, index.owns(object.layout) else {
                contextMisuse(
                    "insert(_:): entity '\(object.layout.entity.name ?? "")' is not in the model of the context's coordinator"
                )
            }
            adoptNew(object)
            object.awakeFromInsert()
            return
        }
        require(object, "insert(_:)")
        if object.state.contains(.annihilated) {
            object.state.remove([.annihilated, .deletePropagated])
            changes.annihilated[UnsavedPlace(object.key, root: object.layout.rootOrdinal)] = nil
            changes.unpropagated.removeAll { $0 === object }
            adoptNew(object)
        } else if object.state.contains(.deleted), object.state.isPending {
            withdraw(object)
            object.state.remove([.deletePropagated, .eventDeleted])
            changes.unpropagated.removeAll { $0 === object }
            willChange(object)
        } else if object.state.contains(.inserted) {
            report(object, .eventInserted)
        }
    }

    /// Stops the program where an object of another context, or of none, is given.
    func require(_ object: NSManagedObject, _ call: String) {
        if object.link !== link {
            contextMisuse(
                "\(call): the object \(object.objectID.uriRepresentation().absoluteString) belongs to "
                    + (object.link.context == nil ? "no context" : "another context"))
        }
    }
}

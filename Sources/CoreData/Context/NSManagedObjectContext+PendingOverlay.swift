import Foundation

// Unsaved changes laid over what the stores answered.

extension NSManagedObjectContext {
    /// The objects with pending changes that the request is about.
    func pendingObjects(in prepared: PreparedFetch) -> [NSManagedObject] {
        guard !changes.isEmpty else { return [] }
        let entity = prepared.plan.entity
        let layout = entity.slotLayout
        var result: [NSManagedObject] = []
        for object in changes.objects where object.state.isPending {
            if object.layout !== layout {
                guard prepared.plan.includesSubentities, object.layout.rootOrdinal == layout.rootOrdinal,
                    object.layout.entity.isKindOf(entity: entity)
                else { continue }
            }
            if let home = object.storeLink ?? defaultStore(for: object.layout.entity)?.link,
                !prepared.stores.contains(where: { $0.link === home })
            {
                continue
            }
            result.append(object)
        }
        return result
    }

    /// The predicate as objects in memory can be tried with it: ids in it are the context's own objects.
    func matches(_ prepared: PreparedFetch) -> (NSManagedObject) -> Bool {
        guard let given = prepared.predicate else { return { _ in true } }
        let predicate = PredicateConstants { [self] value in
            switch value {
            case let id as NSManagedObjectID: registeredObject(for: id)
            case let object as NSManagedObject where object.link !== link: registeredObject(for: object.objectID)
            default: nil
            }
        }.replaced(in: given)
        return { predicate.evaluate(with: $0) }
    }

    /// Deleted objects go, changed ones stay or go or come by their present values, inserted ones come; sorted ones keep the
    /// order of the request. Complexity: O(n + m log n) for m pending objects.
    func overlayPendingChanges(on result: inout [NSManagedObject], _ prepared: PreparedFetch) {
        let pending = pendingObjects(in: prepared)
        guard !pending.isEmpty else { return }
        let matches = matches(prepared)
        let descriptors = prepared.plan.sort
        var found: Set<ObjectIdentifier> = []
        // Without an order a changed object stays where the store put it.
        result.removeAll { object in
            guard object.state.isPending else { return false }
            if object.state.contains(.deleted) { return true }
            if descriptors.isEmpty, matches(object) {
                found.insert(ObjectIdentifier(object))
                return false
            }
            return true
        }
        let added = pending.filter { object in
            !object.state.contains(.deleted) && !found.contains(ObjectIdentifier(object)) && matches(object)
        }
        if descriptors.isEmpty {
            result.append(contentsOf: added)
        } else {
            merge(sorted(added, by: descriptors), into: &result, descriptors)
        }
        let limit = prepared.facts.fetchLimit
        if limit > 0, result.count > limit { result.removeLast(result.count - limit) }
    }

    /// Puts sorted objects into their places among sorted objects. The places are searched, so that few of the others have to be
    /// looked at.
    private func merge(
        _ added: [NSManagedObject], into result: inout [NSManagedObject], _ descriptors: [NSSortDescriptor]
    ) {
        guard !added.isEmpty else { return }
        var merged: [NSManagedObject] = []
        merged.reserveCapacity(result.count + added.count)
        var taken = 0
        for object in added {
            // The first of the rest that comes after the object.
            var low = taken
            var high = result.count
            while low < high {
                let middle = (low + high) / 2
                if precedes(object, result[middle], descriptors) { high = middle } else { low = middle + 1 }
            }
            merged.append(contentsOf: result[taken..<low])
            merged.append(object)
            taken = low
        }
        merged.append(contentsOf: result[taken...])
        result = merged
    }

    /// The same for keys.
    /// - Returns: the objects that come in addition, in no particular order.
    func overlayPendingChanges(
        on keys: inout [(key: ObjectKey, link: StoreLink)], _ prepared: PreparedFetch
    ) -> [NSManagedObject] {
        let pending = pendingObjects(in: prepared)
        guard !pending.isEmpty else { return [] }
        let matches = matches(prepared)
        var saved: [Int64: [NSManagedObject]] = [:]
        for object in pending where !object.state.contains(.inserted) {
            saved[object.key.number, default: []].append(object)
        }
        var found: Set<ObjectIdentifier> = []
        if !saved.isEmpty {
            keys.removeAll { key, link in
                guard let object = saved[key.number]?.first(where: { $0.storeLink === link }) else { return false }
                if object.state.contains(.deleted) || !matches(object) { return true }
                found.insert(ObjectIdentifier(object))
                return false
            }
        }
        return pending.filter {
            !$0.state.contains(.deleted) && !found.contains(ObjectIdentifier($0)) && matches($0)
        }
    }
}

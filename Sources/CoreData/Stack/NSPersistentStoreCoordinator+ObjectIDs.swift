import Foundation

extension NSPersistentStoreCoordinator {
    /// The id that a URI names.
    ///
    /// - Parameter url: what `NSManagedObjectID.uriRepresentation()` gave. The URI of an unsaved object is known in the same
    ///   process only.
    /// - Returns: nil if no attached store has the URI's identifier, or the model no such entity. Whether the record exists is
    ///   not looked up.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let parts = URIParts(url),
            let entity = managedObjectModel.entitiesByName[parts.entityName]
        else { return nil }
        let ordinal = Int32(entity.ordinal)
        if parts.host.isEmpty {
            guard let number = parts.temporaryNumber else { return nil }
            return NSManagedObjectID(
                key: ObjectKey(number: number, entity: ordinal, isTemporary: true), entity: entity, storeLink: nil)
        }
        guard let store = store(withIdentifier: parts.host) ?? store(withAnyCaseOf: parts.host), store.holds(entity)
        else { return nil }
        if let number = parts.temporaryNumber {
            return NSManagedObjectID(
                key: ObjectKey(number: number, entity: ordinal, isTemporary: true), entity: entity,
                storeLink: store.link)
        }
        guard let number = parts.primaryKey else { return nil }
        return NSManagedObjectID(
            key: ObjectKey(number: number, entity: ordinal), entity: entity, storeLink: store.link)
    }

    /// The id that the text of a URI names; see ``managedObjectID(forURIRepresentation:)``.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }

    /// Some URL parsers write hosts in lower case.
    private func store(withAnyCaseOf identifier: String) -> NSPersistentStore? {
        let wanted = identifier.lowercased()
        return persistentStores.first { $0.link.identifier.lowercased() == wanted }
    }

    /// `x-coredata://HOST/ENTITY/REFERENCE`
    private struct URIParts {
        let host: String
        let entityName: String
        private let reference: String

        init?(_ url: URL) {
            let path = url.path.split(separator: "/", omittingEmptySubsequences: true)
            guard path.count == 2 else { return nil }
            host = url.host ?? ""
            entityName = String(path[0])
            reference = String(path[1])
        }

        /// The number behind `p`.
        var primaryKey: Int64? {
            guard reference.first == "p" else { return nil }
            return Int64(reference.dropFirst())
        }

        /// The number behind `t` and this process's mark.
        var temporaryNumber: Int64? {
            let mark = "t" + NSManagedObjectID.processIdentifier
            guard reference.hasPrefix(mark), let number = Int64(reference.dropFirst(mark.count)), number > 0 else {
                return nil
            }
            return number
        }
    }
}

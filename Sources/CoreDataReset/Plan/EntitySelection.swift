import CoreData
import Foundation

/// Which entities a deletion is about, by their names in the model.
///
///     try container.deleteAllRecords()                                  // everything
///     try container.deleteAllRecords(.only(["CachedPage", "Thumbnail"]))  // what can be loaded again
///     try container.deleteAllRecords(.allBut(["Favourite", "Setting"]))   // what the user made stays
///
/// A name stands for the entity and all entities below it.
public enum EntitySelection: Sendable, Hashable, Codable {
    /// Every entity of the model.
    case all
    /// These. Delete rules are carried out: what cascades from their records goes too, of whatever entity it is.
    case only(Set<String>)
    /// Every entity except these, of which no record goes: a cascade that would take one stops the deletion.
    case allBut(Set<String>)
    /// The first ones without the second ones, of which no record goes: a cascade that would take one stops the deletion.
    /// Other records may go by cascades.
    case among(Set<String>, allBut: Set<String>)
}

extension EntitySelection {
    /// The entities whose records go, and those whose records must stay.
    ///
    /// - Throws: NSCocoaErrorDomain 134060 for a name the model has no entity of.
    func resolved(in model: NSManagedObjectModel) throws -> (
        deleted: [NSEntityDescription], kept: [NSEntityDescription]
    ) {
        let entities = model.entities
        switch self {
        case .all: return (entities, [])
        case .only(let names):
            try Self.check(names, model)
            return (entities.filter { $0.isAmong(names) }, [])
        case .allBut(let names):
            try Self.check(names, model)
            return (entities.filter { !$0.isAmong(names) }, entities.filter { $0.isAmong(names) })
        case .among(let names, let kept):
            try Self.check(names.union(kept), model)
            return (
                entities.filter { $0.isAmong(names) && !$0.isAmong(kept) }, entities.filter { $0.isAmong(kept) }
            )
        }
    }

    private static func check(_ names: Set<String>, _ model: NSManagedObjectModel) throws {
        let unknown = names.subtracting(model.entitiesByName.keys).sorted()
        if unknown.isEmpty { return }
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSCoreDataError,
            userInfo: [
                NSLocalizedFailureReasonErrorKey:
                    "The model has no entity named \(unknown.map { "\"\($0)\"" }.joined(separator: ", "))."
            ])
    }
}

extension NSEntityDescription {
    /// The entity and all above it.
    var lineage: [NSEntityDescription] {
        Array(sequence(first: self) { $0.superentity })
    }

    fileprivate func isAmong(_ names: Set<String>) -> Bool {
        lineage.contains { entity in entity.name.map(names.contains) ?? false }
    }
}

import CoreDataSQLite
import Foundation

/// A transaction found another store in the file, or none.
struct RemovedStore: Error {}

extension SQLiteStore {
    /// Makes sure that the snapshot of the transaction a connection is in belongs to this store.
    ///
    /// Costs a comparison as long as nobody changes the schema: resetting, replacing and migrating a store does.
    @inline(__always)
    func checkIdentity(_ connection: SQLiteConnection) throws {
        if connection.acknowledgedSchemaVersion != connection.schemaVersion { try acknowledge(connection) }
    }

    private func acknowledge(_ connection: SQLiteConnection) throws {
        // An earlier state of the same store has the same identifier, but not its keys and versions.
        guard SQLiteReplace.generation(of: connection.schemaVersion) == generation,
            try StoreFile.identifier(connection) == identifier
        else { throw RemovedStore() }
        try checkSchema(connection)
        connection.acknowledgedSchemaVersion = connection.schemaVersion
    }

    /// The store is still the same one, but its schema was changed: by a new index, or by a migration to another model.
    private func checkSchema(_ connection: SQLiteConnection) throws {
        let stored = try StoreFile.metadata(connection, url: url)
        if !options.ignoresVersioning {
            try StoreFile.requireCompatible(
                stored, connection, model: model, configuration: schema.configuration,
                type: metadata[NSStoreTypeKey] as? String ?? NSSQLiteStoreType, url: url)
        }
        let plan = SchemaPlan(
            model: model, configuration: schema.configuration, fileNumbers: try StoreFile.entityNumbers(connection))
        let current = try SQLSchema(
            plan, file: StoreFile.tables(connection), storesDecimalsAsText: schema.storesDecimalsAsText)
        guard current.hasSameNames(as: schema) else {
            throw StoreError.make(
                NSPersistentStoreIncompatibleSchemaError,
                "The tables of the store were changed by somebody else while it was open; add the store again.",
                url: url)
        }
    }
}

import CoreDataSQLite
import Foundation

/// Asks a store of which only the file and a model are there: nothing is opened, cached or changed.
package final class StoreQuery {
    /// A record by its entity and key.
    package struct Reference: Sendable {
        package let entity: String
        package let key: Int64
    }

    private let connection: SQLiteConnection
    private let schema: SQLSchema
    private let identifier: String
    private let source: ColumnSource

    /// - Parameters:
    ///   - model: is frozen.
    ///   - connection: one that reads, in a read transaction.
    ///   - path: of the store's own file, for values that lie beside it.
    /// - Throws: NSCocoaErrorDomain 134100 where the store was made with another model; 259 for a file that lacks tables or
    ///   columns the model asks for.
    package init(_ model: NSManagedObjectModel, _ connection: SQLiteConnection, path: String) throws {
        let url = URL(fileURLWithPath: path)
        model.freeze()
        let metadata = try StoreFile.metadata(connection, url: url)
        try StoreFile.requireCompatible(metadata, connection, model: model, configuration: nil, url: url)
        let plan = SchemaPlan(model: model, configuration: nil, fileNumbers: try StoreFile.entityNumbers(connection))
        do {
            schema = try SQLSchema(plan, file: StoreFile.tables(connection))
        } catch {
            throw StoreError.translated(error, .read, url: url)
        }
        try connection.registerRequestFunctions()
        self.connection = connection
        identifier = metadata[NSStoreUUIDKey] as? String ?? ""
        source = ColumnSource(schema: schema, files: ExternalStorage(storePath: path))
    }

    /// Hands the rows over one by one, so that any number of them takes no more room than one. The values are in the order of the
    /// columns, nil for NULL; a key is a `Reference`.
    package func forEachRow(
        _ plan: FetchPlan, _ dictionaries: DictionaryPlan, _ receive: ([Any?]) throws -> Void
    ) throws {
        var plan = plan
        plan.shape = .dictionaries(dictionaries)
        let rows = try DictionaryRows(plan, schema, storeIdentifier: identifier)
        try rows.read(connection, source) { values in
            var values = values
            for place in rows.keys {
                if let key = values[place] as? ObjectKey { values[place] = reference(key) }
            }
            try receive(values)
        }
    }

    package func count(_ plan: FetchPlan) throws -> Int {
        let request = try FetchCompiler(plan, schema, storeIdentifier: identifier).count()
        return try connection.run(request) { try $0.step() ? Int($0.int64(0)) : 0 }
    }

    /// The id of a record, for predicates.
    package func objectID(_ entity: NSEntityDescription, key: Int64) -> NSManagedObjectID {
        NSManagedObjectID(
            key: ObjectKey(number: key, entity: Int32(entity.ordinal)), entity: entity,
            storeLink: StoreLink(identifier: identifier, newest: CommitNumber()))
    }

    private func reference(_ key: ObjectKey) -> Reference {
        Reference(entity: schema.entity(ordinal: key.entity)?.name ?? "?", key: key.number)
    }
}

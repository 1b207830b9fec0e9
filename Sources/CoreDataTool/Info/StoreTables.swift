import CoreData
import CoreDataSQLite

/// The names of the ordinary tables of a file: no views, which can take for ever, and no virtual tables.
struct StoreTables {
    /// As they stand in the file, by upper-case name.
    let names: [String: String]

    init(_ connection: SQLiteConnection) throws {
        var names: [String: String] = [:]
        let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        try connection.prepare(sql).forEachRow { row in
            if let name = row.text(0) { names[name.uppercased()] = name }
        }
        self.names = names
    }

    /// - Throws: `ToolError` for a database that is no Core Data store.
    func requireStore(_ path: StoreFilePath) throws {
        guard names["Z_METADATA"] != nil else {
            let isEmpty = names.isEmpty
            throw ToolError(
                .notAStore, path.given,
                isEmpty
                    ? "the database is empty; a store that was destroyed leaves such a file."
                    : "it is a SQLite database, but no Core Data store: it has no table Z_METADATA.",
                advice: isEmpty ? "The next program that opens it with a model makes a new store in it." : nil)
        }
        guard names["Z_PRIMARYKEY"] != nil else {
            throw ToolError(
                .damaged, path.given, "the store has no table Z_PRIMARYKEY, so its entities are unknown.",
                advice: ToolError.recoveryAdvice)
        }
    }
}

extension StoreSnapshot.Model {
    /// The model cached in a store.
    init(_ tables: StoreTables, _ connection: SQLiteConnection) throws {
        guard tables.names["Z_MODELCACHE"] != nil else {
            self = .none
            return
        }
        let sql = "SELECT Z_CONTENT, length(Z_CONTENT) FROM Z_MODELCACHE LIMIT 1"
        let contents = try connection.withCached(sql) { statement -> Data? in
            guard try statement.step(), statement.int64(1) <= Int64(ModelFileLimit.bytes) else { return nil }
            return statement.blob(0)
        }
        guard let contents, !contents.isEmpty else {
            self = .none
            return
        }
        do {
            let model = try NSManagedObjectModel.model(fromStoreCache: contents)
            model.freeze()
            self = .cached(model)
        } catch {
            self = .unreadable(reason: error.localizedFailureReason ?? error.localizedDescription)
        }
    }
}

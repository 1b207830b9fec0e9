import CoreDataSQLite
import Foundation

/// One save, inside its write transaction. Deletions come first, then updates and insertions, then relationships.
final class SaveTransaction {
    /// Ends the transaction: nothing is written.
    enum Stop: Error, @unchecked Sendable {
        /// These rows were changed or deleted by somebody else since they were read.
        case conflicts([Row])
        /// A uniqueness constraint is broken, by what is in the change set or in the store.
        case constraint(ChangeSet)
    }

    /// What was written.
    struct Result {
        var written: ContiguousArray<Row> = []
        var deleted: [ObjectKey] = []
        var historyToken: Int64?
    }

    let store: SQLiteStore
    let connection: SQLiteConnection
    var changes = ChangeSet()
    /// Rows that objects made, and those that are written instead because values were derived.
    var derivedRows: [(made: Row, written: Row)] = []
    private var conflicts: [Row] = []
    /// Writes that broke a uniqueness constraint: the values may become free by later writes.
    private var deferredUpdates: [ChangeSet.Update] = []
    private var deferredInserts: [Row] = []

    var schema: SQLSchema { store.schema }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    func run(_ request: SaveRequest) throws -> Result {
        var firstKeys: [Int64] = []
        for (root, count) in request.newKeys {
            firstKeys.append(try PrimaryKeys.reserve(count, of: root, schema, connection))
        }
        changes = try request.build(firstKeys)
        if schema.derivesValues { deriveValues() }

        try checkUnchanged()
        try delete()
        try update()
        guard conflicts.isEmpty else { throw Stop.conflicts(conflicts) }
        try insert()
        try writeDeferred()
        var result = Result()
        try ToManyWriter(self).write(changes.toMany)
        if let metadata = request.metadata {
            let old = try StoreFile.metadata(connection, url: store.url)
            try StoreFile.write(StoreMetadata.merged(metadata, into: old), connection, url: store.url)
        }
        if store.tracksHistory, let history = schema.history {
            result.historyToken = try HistoryWriter(schema, history, connection)
                .write(changes, author: request.author, contextName: request.contextName)
        }
        for (made, written) in derivedRows { made.stamp(version: written.version, commit: 0) }
        result.written.reserveCapacity(changes.inserted.count + changes.updated.count)
        result.written.append(contentsOf: changes.inserted)
        for update in changes.updated { result.written.append(update.new) }
        result.deleted = changes.deleted.map(\.old.key)
        return result
    }

    // MARK: Versions

    private func checkUnchanged() throws {
        for row in changes.checked where try storedVersion(row) != row.version { conflicts.append(row) }
    }

    /// The version a record has now, nil if it is gone.
    func storedVersion(_ row: Row) throws -> Int64? {
        let plan = try writePlan(row)
        return try connection.withCached(plan.selectVersion) { statement in
            try statement.bind(row.primaryKey, at: 1)
            return try statement.step() ? statement.int64(0) : nil
        }
    }

    /// A statement found no row of the key and version.
    ///
    /// - Returns: true if the file had no version there at all: it has one now, and the statement is to be run again.
    private func resolveMissing(_ row: Row, _ plan: SQLWritePlan) throws -> Bool {
        guard try storedVersion(row) == row.version else {
            conflicts.append(row)
            return false
        }
        try connection.withCached("UPDATE \(plan.entity.table.sql) SET Z_OPT = ?1 WHERE Z_PK = ?2") { statement in
            try statement.bind(row.version, at: 1)
            try statement.bind(row.primaryKey, at: 2)
            try statement.run()
        }
        return true
    }

    func writePlan(_ row: Row) throws -> SQLWritePlan {
        guard let entity = schema.entity(ordinal: row.layout.ordinal) else {
            throw SQLRequestError.refused("The store holds no entity \(row.layout.entity.name ?? "").")
        }
        return store.rowPlans.writing(entity)
    }

    // MARK: Rows

    private func delete() throws {
        var plan: SQLWritePlan?
        var statement: SQLiteStatement?
        defer { statement?.reset() }
        for deletion in changes.deleted {
            let row = deletion.old
            if plan?.entity.ordinal != row.layout.ordinal {
                statement?.reset()
                let next = try writePlan(row)
                plan = next
                statement = try connection.cached(changes.ignoresVersions ? next.deleteAnyVersion : next.delete)
            }
            guard let plan, let statement else { continue }
            try deleteRelationships(row, plan)
            try statement.bind(row.primaryKey, at: 1)
            if !changes.ignoresVersions { try statement.bind(row.version, at: 2) }
            try statement.run()
            // What is gone already needs no deletion where versions do not matter.
            if connection.changes == 0, !changes.ignoresVersions, try resolveMissing(row, plan) { try statement.run() }
        }
    }

    /// Removes the pairs a record stands in, and the hidden keys that lead to it.
    private func deleteRelationships(_ row: Row, _ plan: SQLWritePlan) throws {
        for sql in plan.deleteReferences {
            try connection.withCached(sql) { statement in
                try statement.bind(row.primaryKey, at: 1)
                try statement.run()
            }
        }
    }

    private func update() throws {
        var statement = UpdateStatement(connection, ignoresVersion: changes.ignoresVersions)
        defer { statement.end() }
        for update in changes.updated {
            do {
                if try statement.run(update, self) { continue }
                if changes.ignoresVersions {
                    conflicts.append(update.old)
                } else if try resolveMissing(update.old, writePlan(update.old)) {
                    _ = try statement.run(update, self)
                }
            } catch let error as SQLiteError where error.isUniquenessFailure {
                deferredUpdates.append(update)
            }
        }
    }

    private func insert() throws {
        var plan: SQLWritePlan?
        var statement: SQLiteStatement?
        defer {
            statement?.reset()
            statement?.clearBindings()
        }
        for row in changes.inserted {
            if plan?.entity.ordinal != row.layout.ordinal {
                statement?.reset()
                statement?.clearBindings()
                let next = try writePlan(row)
                plan = next
                statement = try connection.cached(next.insert)
            }
            guard let plan, let statement else { continue }
            do { try insert(row, plan, statement) } catch let error as SQLiteError where error.isUniquenessFailure {
                deferredInserts.append(row)
            }
        }
    }

    private func insert(_ row: Row, _ plan: SQLWritePlan, _ statement: SQLiteStatement) throws {
        row.stamp(version: 1, commit: 0)
        let handle = statement.handle
        var result = sqlite3_bind_int64(handle, 1, row.primaryKey)
        result |= sqlite3_bind_int64(handle, 2, Int64(plan.entity.number))
        result |= sqlite3_bind_int64(handle, 3, row.version)
        result |= plan.bind(plan.steps, of: row, to: handle, from: 4)
        guard result == SQLITE_OK else { throw statement.failure(result) }
        try statement.run()
    }

    // MARK: Uniqueness

    /// Values may move from one record to another within a save, but SQLite checks each statement by itself: what failed is
    /// tried again when everything else is written, with the old values out of the way.
    private func writeDeferred() throws {
        if deferredUpdates.isEmpty, deferredInserts.isEmpty { return }
        for update in deferredUpdates { try clearUniqueValues(update) }
        var statement = UpdateStatement(connection, ignoresVersion: changes.ignoresVersions)
        defer { statement.end() }
        do {
            for update in deferredUpdates { _ = try statement.run(update, self) }
            for row in deferredInserts {
                let plan = try writePlan(row)
                try connection.withCached(plan.insert) { statement in
                    try insert(row, plan, statement)
                    statement.clearBindings()
                }
            }
        } catch let error as SQLiteError where error.isUniquenessFailure {
            throw Stop.constraint(changes)
        }
    }

    private func clearUniqueValues(_ update: ChangeSet.Update) throws {
        let plan = try writePlan(update.old)
        let columns = UniquenessConstraint.all(of: plan.entity).flatMap(\.slots)
            .filter(update.changedSlots.contains).compactMap { plan.entity.columns[$0] }
        guard !columns.isEmpty else { return }
        let assignments = Set(columns.map { "\($0.sql) = NULL" }).sorted().joined(separator: ", ")
        try connection.withCached("UPDATE \(plan.entity.table.sql) SET \(assignments) WHERE Z_PK = ?1") { statement in
            try statement.bind(update.old.primaryKey, at: 1)
            try statement.run()
        }
    }
}

/// The update statement of a save: neighbours mostly change the same slots of the same entity.
private struct UpdateStatement {
    private let connection: SQLiteConnection
    private let ignoresVersion: Bool
    private var layout: SlotLayout?
    private var slots: SlotSet?
    private var plan: SQLWritePlan?
    private var update: SQLWritePlan.Update?
    private var statement: SQLiteStatement?

    init(_ connection: SQLiteConnection, ignoresVersion: Bool) {
        self.connection = connection
        self.ignoresVersion = ignoresVersion
    }

    /// Lets go of the statement, whose values are not copies.
    mutating func end() {
        statement?.reset()
        statement?.clearBindings()
        statement = nil
        layout = nil
    }

    /// - Returns: false if there is no row of that key and version.
    mutating func run(_ change: ChangeSet.Update, _ transaction: SaveTransaction) throws -> Bool {
        let row = change.new
        if layout !== row.layout || slots != change.changedSlots {
            end()
            let plan = try transaction.writePlan(row)
            let update = plan.update(change.changedSlots)
            statement = try connection.cached(ignoresVersion ? update.anyVersion : update.sql)
            self.plan = plan
            self.update = update
            layout = row.layout
            slots = change.changedSlots
        }
        guard let plan, let update, let statement else { return false }
        var version = change.old.version
        if ignoresVersion { version = try transaction.storedVersion(change.old) ?? version }
        let handle = statement.handle
        var result = sqlite3_bind_int64(handle, 1, version &+ 1)
        result |= plan.bind(update.steps, of: row, to: handle, from: 2)
        let key = Int32(update.steps.count) + 2
        result |= sqlite3_bind_int64(handle, key, row.primaryKey)
        if !ignoresVersion { result |= sqlite3_bind_int64(handle, key + 1, version) }
        guard result == SQLITE_OK else { throw statement.failure(result) }
        try statement.run()
        guard connection.changes > 0 else { return false }
        row.stamp(version: version &+ 1, commit: 0)
        return true
    }
}

extension SQLiteError {
    /// Two rows with the same values where only one may have them.
    var isUniquenessFailure: Bool { extendedCode == SQLITE_CONSTRAINT_UNIQUE }
}

/// `SQLITE_CONSTRAINT | (8 << 8)`; the header's macro is not visible to Swift.
private let SQLITE_CONSTRAINT_UNIQUE: Int32 = 2067

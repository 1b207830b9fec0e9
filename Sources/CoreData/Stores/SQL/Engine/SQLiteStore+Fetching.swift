import CoreDataSQLite
import Foundation

// Fetch requests.
extension SQLiteStore {
    /// Rows are handed over this many at a time.
    private static let chunkSize = 256

    func fetchRows(_ plan: FetchPlan, _ receive: (ContiguousArray<Row>) throws -> Void) throws {
        var plan = plan
        plan.shape = .rows
        let compiler = try FetchCompiler(plan, schema, storeIdentifier: identifier)
        let rowPlan = rowPlans.reading(compiler.scope.entity)
        let request = try compiler.select(rowPlan.selection)
        try read { connection, snapshot in
            try connection.run(request) { statement in
                try receiveRows(statement, rowPlan, snapshot, receive)
            }
        }
    }

    /// Steps through a statement that selects the columns of a row plan.
    func receiveRows(
        _ statement: SQLiteStatement, _ plan: SQLRowPlan, _ snapshot: UInt64,
        _ receive: (ContiguousArray<Row>) throws -> Void
    ) throws {
        let handle = statement.handle
        var hasMore = true
        while hasMore {
            var chunk = ContiguousArray<Row>()
            chunk.reserveCapacity(Self.chunkSize)
            while chunk.count < Self.chunkSize {
                hasMore = try statement.step()
                guard hasMore else { break }
                chunk.append(try plan.row(handle, commit: snapshot))
            }
            if chunk.isEmpty { return }
            rowCache.admit(&chunk)
            try receive(chunk)
        }
    }

    func fetchKeys(_ plan: FetchPlan) throws -> [ObjectKey] {
        var plan = plan
        plan.shape = .keys
        let compiler = try FetchCompiler(plan, schema, storeIdentifier: identifier)
        let entity = compiler.scope.entity
        let request = try compiler.select(entity.table.isShared ? "t0.Z_PK, t0.Z_ENT" : "t0.Z_PK")
        return try read { connection, _ in
            try connection.run(request) { try keys($0, entity) }
        }
    }

    /// The keys of a statement that selects `Z_PK` and, from a shared table, `Z_ENT`.
    func keys(_ statement: SQLiteStatement, _ entity: SQLEntity) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        let isShared = entity.table.isShared
        let handle = statement.handle
        while try statement.step() {
            var ordinal = entity.ordinal
            if isShared { ordinal = schema.ordinal(number: sqlite3_column_int64(handle, 1)) ?? ordinal }
            keys.append(ObjectKey(number: sqlite3_column_int64(handle, 0), entity: ordinal))
        }
        return keys
    }

    func count(_ plan: FetchPlan) throws -> Int {
        let request = try FetchCompiler(plan, schema, storeIdentifier: identifier).count()
        return try read { connection, _ in
            try connection.run(request) { try $0.step() ? Int($0.int64(0)) : 0 }
        }
    }

    func fetchDictionaries(_ plan: FetchPlan, _ receive: ([Any?]) throws -> Void) throws {
        let rows = try DictionaryRows(plan, schema, storeIdentifier: identifier)
        try read { connection, _ in
            try rows.read(connection, ColumnSource(schema: schema, files: externalStorage), receive)
        }
    }
}

/// The statement of a dictionary fetch, and how its rows are read.
struct DictionaryRows {
    /// The places of values that are `ObjectKey`s.
    let keys: [Int]
    private let columns: [DictionaryColumn]
    private let request: FetchCompiler.Statement

    init(_ plan: FetchPlan, _ schema: SQLSchema, storeIdentifier: String) throws {
        guard case .dictionaries(let dictionaries) = plan.shape else {
            columns = []
            keys = []
            request = FetchCompiler.Statement(sql: "", values: [])
            return
        }
        let compiler = try FetchCompiler(plan, schema, storeIdentifier: storeIdentifier)
        let columns = try compiler.columns(dictionaries)
        self.columns = columns
        keys = columns.indices.filter { columns[$0].isKey }
        request = try compiler.select(columns, dictionaries)
    }

    /// Hands the rows over one by one: at no time is there more than one of them.
    func read(_ connection: SQLiteConnection, _ source: ColumnSource, _ receive: ([Any?]) throws -> Void) throws {
        if columns.isEmpty { return }
        try connection.run(request) { statement in
            while try statement.step() {
                var place = 0
                var row: [Any?] = []
                row.reserveCapacity(columns.count)
                // By index: a copy of each column would cost as much as its value.
                for index in columns.indices { row.append(try columns[index].value(statement, &place, source)) }
                try receive(row)
            }
        }
    }
}

extension SQLiteConnection {
    /// Runs a compiled request with the cached statement of its text, and lets go of its values afterwards.
    func run<T>(_ request: FetchCompiler.Statement, _ body: (SQLiteStatement) throws -> T) throws -> T {
        let statement = try cached(request.sql)
        defer {
            statement.reset()
            statement.clearBindings()
        }
        try statement.bind(request.values)
        return try body(statement)
    }
}

import CoreData
import CoreDataSQLite
import Foundation

/// Carries out `coredata fetch`.
struct Fetch {
    let options: FetchOptions
    let console: Console

    init(_ options: FetchOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    /// - Throws: `ToolError`
    func run() throws {
        let path = try StoreFilePath(options.path)
        let progress = Progress()
        do {
            try StoreInspection.withConnection(
                path: path.path, timeout: options.timeout, mayRepeat: { !progress.hasPrinted }
            ) { connection in
                try connection.setPragma("trusted_schema", to: "OFF")
                try connection.setPragma("cell_size_check", to: "ON")
                connection.limitRequest(onFile: path.path)
                defer { connection.limitWork(toSteps: nil) }
                try connection.read { try read(path, connection, progress) }
            }
        } catch is ReaderGone {
            // Whoever closed the pipe has had enough.
        } catch StoreInspection.Interference.changedMeanwhile {
            throw ToolError(
                .locked, options.path,
                "another program changed the store while it was read; what was printed may be wrong.",
                advice: "Try again.")
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError {
            throw ToolError(.request, options.path, error.localizedFailureReason ?? error.localizedDescription)
        }
    }

    /// Nobody reads the output any more.
    private struct ReaderGone: Error {}

    private final class Progress {
        var hasPrinted = false
    }

    // MARK: Reading

    private func read(_ path: StoreFilePath, _ connection: SQLiteConnection, _ progress: Progress) throws {
        let model = try model(path, connection)
        let query = try StoreQuery(model, connection, path: path.path)
        guard let entity = model.entitiesByName[options.entity] else {
            throw ToolError.unknownEntity(options.entity, among: model.entities.compactMap(\.name), options.path)
        }
        let keyPaths = KeyPaths(path: options.path)
        var plan = FetchPlan(entity: entity)
        plan.limit = options.limit
        plan.offset = options.offset
        plan.predicate = try options.predicate.map {
            try WherePredicate(keyPaths: keyPaths, query: query, entity: entity).parse($0)
        }
        let columns = try columns(FetchColumns(keyPaths: keyPaths, entity: entity))
        plan.sort = try options.sort.map { sort in
            if !columns.contains(where: { $0.title == sort.key }) {
                _ = try keyPaths.target(of: sort.key, in: entity)
            }
            return NSSortDescriptor(key: sort.key, ascending: sort.isAscending)
        }
        if options.countsOnly { return try printCount(query, plan, progress) }
        var dictionaries = DictionaryPlan(columns.map(\.plan))
        dictionaries.groups = columns.prefix(options.groups.isEmpty ? 0 : columns.count - options.aggregates.count)
            .map(\.plan)
        var printer = printer(columns)
        try query.forEachRow(plan, dictionaries) { values in
            progress.hasPrinted = true
            printer.add(zip(values, columns).map { Cell($0, $1.kind) })
            if console.output.failure != nil { throw ReaderGone() }
        }
        progress.hasPrinted = true
        printer.finish()
    }

    private func printCount(_ query: StoreQuery, _ plan: FetchPlan, _ progress: Progress) throws {
        let count = try query.count(plan)
        progress.hasPrinted = true
        switch options.format {
        case .table, .csv: console.print(String(count))
        case .json, .jsonl: console.print(JSON.object([("count", .count(count))]).line)
        }
    }

    private func columns(_ all: FetchColumns) throws -> [FetchColumn] {
        if !options.groups.isEmpty || !options.aggregates.isEmpty {
            return try options.groups.flatMap(all.columns) + options.aggregates.map(all.column)
        }
        return try options.columns?.flatMap(all.columns) ?? all.all()
    }

    private func printer(_ columns: [FetchColumn]) -> any RowPrinter {
        switch options.format {
        case .table: TablePrinter(columns, console)
        case .json: JSONPrinter(columns, isArray: true, console)
        case .jsonl: JSONPrinter(columns, isArray: false, console)
        case .csv: CSVPrinter(columns, console)
        }
    }

    // MARK: The model

    private func model(_ path: StoreFilePath, _ connection: SQLiteConnection) throws -> NSManagedObjectModel {
        let tables = try StoreTables(connection)
        try tables.requireStore(path)
        if let modelPath = options.modelPath { return try ModelFile.read(modelPath) }
        switch try StoreSnapshot.Model(tables, connection) {
        case .cached(let model): return model
        case .none:
            throw ToolError(
                .noModel, options.path, "the store holds no model (those written before iOS 8 have none).",
                advice: "Add --model PATH.")
        case .unreadable(let reason):
            throw ToolError(
                .noModel, options.path, "the model cached in the store cannot be read: \(reason)",
                advice: "Add --model PATH.")
        }
    }
}

extension SQLiteConnection {
    /// Bounds for a request: what sorting, joining and counting related records of a file of this size may take at most.
    fileprivate func limitRequest(onFile path: String) {
        let bytes = StoreFilePath.size(path) + StoreFilePath.size(path + "-wal")
        limitWork(toSteps: 200_000_000 + bytes * 2000)
        limitValues(toBytes: max(bytes, 1 << 20))
    }
}

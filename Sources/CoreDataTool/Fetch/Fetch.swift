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

    /// `SQLITE_INTERRUPT`: a bound for work was reached.
    private static let interrupted: Int32 = 9

    /// - Throws: `ToolError`, `UsageError`
    func run() throws {
        let path = try StoreFilePath(options.path)
        do {
            let kept = try StoreInspection.withSnapshot(
                path: path.path, timeout: options.timeout, attempt: { try shortOutput(path, $0) },
                {
                    _ = try print(path, $0, to: console) { console.output.failure != nil }
                    return ""
                })
            console.output.write(kept)
        } catch let error as UsageError {
            throw error
        } catch StoreInspection.Interference.changedMeanwhile {
            throw ToolError(
                .locked, options.path,
                "another program changed the store while it was read; what was printed may be wrong.",
                advice: "Set TMPDIR to a folder that has room for a copy of the store, and try again.")
        } catch let error as SQLiteError where error.code == Self.interrupted {
            throw ToolError(
                .request, options.path, "this takes more work than a file of its size should need.",
                advice:
                    "Ask for less. If that is not it, the file's structure may be damaged: \(ToolError.recoveryAdvice)")
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError {
            throw ToolError(.request, options.path, error.localizedFailureReason ?? error.localizedDescription)
        } catch {
            throw ToolError.explaining(error, options.path)
        }
    }

    // MARK: Reading

    /// So many bytes of output are kept back: a store that nobody has open is read without a lock, and only at the end it is known
    /// whether somebody wrote meanwhile.
    private static let keptBack = 1 << 20

    /// The output, not printed: whether it counts is not known before the file has been looked at again.
    ///
    /// - Returns: nil if it is long.
    private func shortOutput(_ path: StoreFilePath, _ connection: SQLiteConnection) throws -> String? {
        let kept = TextSink(descriptor: nil)
        let isWhole = try print(path, connection, to: console.with(output: kept)) {
            kept.pendingCount > Self.keptBack
        }
        return isWhole ? kept.text : nil
    }

    /// Prints the rows, until it is enough.
    ///
    /// - Returns: whether these were all.
    private func print(
        _ path: StoreFilePath, _ connection: SQLiteConnection, to console: Console, until isEnough: () -> Bool
    ) throws -> Bool {
        try connection.readUntrusted(within: { $0.limitRequest(onFile: path.path) }) {
            let model = try model(path, connection)
            let query = try StoreQuery(model, connection, path: path.path)
            guard let entity = model.entitiesByName[options.entity] else {
                throw ToolError.unknownEntity(options.entity, among: model.entities.compactMap(\.name), options.path)
            }
            let request = try FetchedRows(options, query, entity)
            if options.countsOnly {
                printCount(try request.count(), to: console)
                return true
            }
            var printer = printer(request.columns, console)
            guard try request.forEach(until: isEnough, { printer.add($0) }) else { return false }
            printer.finish()
            return true
        }
    }

    private func printCount(_ count: Int, to console: Console) {
        switch options.format {
        case .table, .csv: console.print(String(count))
        case .json, .jsonl: console.print(JSON.object([("count", .count(count))]).line)
        }
    }

    private func printer(_ columns: [FetchColumn], _ console: Console) -> any RowPrinter {
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

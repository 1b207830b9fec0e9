import CoreData
import CoreDataReset
import Foundation

/// One call of `coredata reset`.
struct Reset {
    let options: ResetOptions
    let console: Console

    init(_ options: ResetOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    /// - Throws: `ToolError`, and the store is as it was; `UsageError` where there is nobody to ask.
    func run() throws {
        let store = try StoreSnapshot.read(options.path, timeout: options.timeout)
        do {
            try run(store)
        } catch let error as UsageError {
            throw error
        } catch {
            throw ToolError.explaining(Self.underlying(error), options.path)
        }
    }

    private func run(_ store: StoreSnapshot) throws {
        try ResetGuard(options, store).check()
        let model = try ResetModel.find(for: store, options)
        if options.isDryRun || !options.isConfirmed {
            let preview = try ResetPreview(options, store, model)
            if options.isDryRun { return console.show(preview) }
            try confirm(preview)
        }
        if StoreInspection.isInUse(store.path.path) {
            console.warn(
                "another program has the store open; restart it afterwards, or it may go on showing what is gone.")
        }
        let backup = try options.backup.map { try StoreBackup(of: store, at: $0, model, options.timeout).make() }
        Signals.endIfCaught()
        let rows = try Signals.uninterrupted { try perform(store, model) }
        if options.operation == .records { SpaceReclaiming.reclaim(store) }
        console.show(ResetResult(options, store, rows, hasModel: model != nil, backup))
    }

    /// - Returns: how many rows each entity had and has.
    private func perform(_ store: StoreSnapshot, _ model: NSManagedObjectModel?) throws -> [ResetRows] {
        guard let model else {
            // Only a full reset gets here: an empty database stays, in which the next program makes its store.
            try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
                .destroyPersistentStore(
                    at: store.path.url, ofType: NSSQLiteStoreType,
                    options: [NSPersistentStoreTimeoutOption: options.timeout])
            return store.entities.map { ResetRows(entity: $0.name, before: $0.rows, after: 0) }
        }
        let container = try OpenedStore.open(
            store.path.url, model, tracksHistory: store.history != nil, options.timeout)
        defer { try? container.close() }
        let report =
            switch options.operation {
            case .records: try container.deleteAllRecords(options.selection, author: "coredata")
            case .store: try container.resetStores()
            }
        try container.close()
        if options.clearsHistory { try HistoryClearing.clear(store, options.timeout) }
        return store.rows(in: report)
    }

    // MARK: Asking

    private func confirm(_ preview: ResetPreview) throws {
        guard let answer = console.answer else {
            throw UsageError("there is nobody to ask; add --yes to go on without a question.", command: "reset")
        }
        if !options.wantsJSON { console.show(preview) }
        console.output.flush()
        console.errors.write(console.errorStyle.bold(preview.question) + " [y/N] ")
        console.errors.flush()
        guard let text = answer(), ["y", "yes"].contains(text.trimmingCharacters(in: .whitespaces).lowercased()) else {
            throw ToolError(.declined, options.path, "nothing was changed.")
        }
    }

    /// The error of the one store there is.
    private static func underlying(_ error: any Error) -> any Error {
        (error as? ResetError)?.failures.first ?? error
    }
}

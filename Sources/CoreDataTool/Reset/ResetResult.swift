import CoreData
import Foundation

/// What a reset did.
struct ResetResult {
    let options: ResetOptions
    /// As it was before.
    let store: StoreSnapshot
    let rows: [ResetRows]
    let hasModel: Bool
    let backup: StoreBackup.Outcome?
    /// `NSStoreUUIDKey` now; nil for an empty database.
    let identifier: String?
    let sizes: FileGroupSizes

    init(
        _ options: ResetOptions, _ store: StoreSnapshot, _ rows: [ResetRows], hasModel: Bool,
        _ backup: StoreBackup.Outcome?
    ) {
        self.options = options
        self.store = store
        self.rows = rows
        self.hasModel = hasModel
        self.backup = backup
        identifier = try? StoreInspection.read(path: store.path.path, timeout: options.timeout) {
            try StoreFile.metadata($0, url: nil)[NSStoreUUIDKey] as? String
        }
        sizes = FileGroupSizes(storePath: store.path.path)
    }
}

extension Console {
    func show(_ result: ResetResult) {
        let options = result.options
        if options.wantsJSON { return print(ResetJSON.result(result)) }
        if let backup = result.backup {
            let external =
                backup.externalFiles > 0
                ? " with \(Quantity.count(Int64(backup.externalFiles), "external file"))" : ""
            print("Backup: \(backup.path.printable(limit: 4096)), \(Quantity.size(backup.bytes))\(external), checked.")
        }
        let path = options.path.printable(limit: 4096)
        let count = Quantity.count(result.rows.deleted, "row")
        switch options.operation {
        case .records: print(style.green("Deleted \(count)") + " from \(path).")
        case .store: print(style.green("Replaced") + " \(path), which had \(count), by a new store.")
        }
        // What was shown before the question need not be shown again.
        if options.isConfirmed { show(result.rows) }
        switch HistoryOutcome(options, result.store) {
        case .none: break
        case .recorded: print("Each deletion is recorded in its history.")
        case .cleared: print("Its history was cleared.")
        case .removed: print("Its history was removed with it.")
        }
        if !result.hasModel { print("An empty database stays, in which the next program makes its store.") }
        print("Files: \(Quantity.bytes(result.store.sizes.total)) before, \(Quantity.bytes(result.sizes.total)) now.")
    }
}

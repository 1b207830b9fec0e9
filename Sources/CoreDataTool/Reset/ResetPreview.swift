import CoreData
import CoreDataReset
import CoreDataSQLite
import Foundation

/// What a reset would do.
struct ResetPreview {
    let options: ResetOptions
    let store: StoreSnapshot
    let hasModel: Bool
    /// In the order of the store's entities.
    let rows: [ResetRows]

    /// Which rows go is plain where all go. Where some stay the deletion is tried out on a private copy: only so cascades are
    /// known, and whether something stops it.
    ///
    /// - Throws: what the deletion throws.
    init(_ options: ResetOptions, _ store: StoreSnapshot, _ model: NSManagedObjectModel?) throws {
        self.options = options
        self.store = store
        hasModel = model != nil
        if !options.isAll, let model {
            rows = try store.rows(in: Self.tryOut(options, store, model))
        } else {
            rows = store.entities.map { ResetRows(entity: $0.name, before: $0.rows, after: 0) }
        }
    }

    private static func tryOut(
        _ options: ResetOptions, _ store: StoreSnapshot, _ model: NSManagedObjectModel
    ) throws -> ResetReport {
        try StoreInspection.withPrivateFolder { folder in
            let copy = folder + "/copy.sqlite"
            try StoreInspection.withConnection(path: store.path.path, timeout: options.timeout) { connection in
                _ = try SQLiteReplace.replaceContents(
                    ofFileAt: copy, isCreating: true, with: connection, timeout: options.timeout)
            }
            let container = try OpenedStore.open(
                URL(fileURLWithPath: copy), model, tracksHistory: store.history != nil, options.timeout)
            defer { try? container.close() }
            return try container.deleteAllRecords(options.selection)
        }
    }

    var question: String {
        let path = options.path.printable(limit: 1000)
        let what = Quantity.count(rows.deleted, "row")
        let warning = options.backup == nil ? " There is no way back." : ""
        return switch options.operation {
        case .records: "Delete \(what) from \(path)?\(warning)"
        case .store: "Replace \(path), with its \(what), by a new store?\(warning)"
        }
    }
}

/// What becomes of the history.
enum HistoryOutcome: String {
    /// The store has none.
    case none
    /// Each deletion is recorded.
    case recorded
    case cleared
    /// It goes with the store.
    case removed

    init(_ options: ResetOptions, _ store: StoreSnapshot) {
        if store.history == nil {
            self = .none
        } else if options.operation == .store {
            self = .removed
        } else {
            self = options.clearsHistory ? .cleared : .recorded
        }
    }
}

extension Console {
    /// The answer of a dry run, or what is shown before the question.
    func show(_ preview: ResetPreview) {
        let options = preview.options
        if options.wantsJSON { return print(ResetJSON.preview(preview)) }
        let path = style.bold(options.path.printable(limit: 4096))
        let count = Quantity.count(preview.rows.deleted, "row")
        let would = options.isDryRun ? "would be" : "will be"
        switch options.operation {
        case .records: print("\(path): \(count) \(would) deleted, the store stays.")
        case .store: print("\(path): the store, with \(count), \(would) replaced by a new, empty one.")
        }
        show(preview.rows)
        switch HistoryOutcome(options, preview.store) {
        case .none: break
        case .recorded: print("It has a history, in which each deletion \(would) recorded.")
        case .cleared: print("Its history \(would) cleared.")
        case .removed: print("Its history \(would) removed with it.")
        }
        if !preview.hasModel {
            print("It holds no model that fits: an empty database stays, in which the next program makes its store.")
        }
        if options.isDryRun { print("Nothing was changed.") }
    }

    func show(_ rows: [ResetRows]) {
        var table = Table([("entity", .left), ("rows", .right), ("deleted", .right), ("left", .right)])
        for row in rows where row.before > 0 {
            table.add([
                row.entity.printable(limit: 200), Quantity.count(row.before), Quantity.count(row.before - row.after),
                Quantity.count(row.after),
            ])
        }
        if !table.isEmpty { table.lines(style).forEach { print($0) } }
    }
}

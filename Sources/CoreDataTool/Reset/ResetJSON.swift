import CoreData
import Foundation

/// What `reset --json` prints; the keys are documented in Documentation/Tool.md and do not change.
enum ResetJSON {
    static func preview(_ preview: ResetPreview) -> JSON {
        json(preview.options, preview.store, preview.rows, result: nil)
    }

    static func result(_ result: ResetResult) -> JSON {
        json(result.options, result.store, result.rows, result: result)
    }

    private static func json(
        _ options: ResetOptions, _ store: StoreSnapshot, _ rows: [ResetRows], result: ResetResult?
    ) -> JSON {
        let entities = rows.map { row in
            JSON.object([
                ("name", .text(row.entity)), ("before", .integer(row.before)), ("after", .integer(row.after)),
            ])
        }
        return .object([
            ("file", .text(options.path)),
            ("path", .text(store.path.path)),
            ("operation", .text(options.operation.rawValue)),
            ("isDryRun", .boolean(result == nil)),
            ("rowsDeleted", .integer(rows.deleted)),
            ("entities", .list(entities)),
            ("history", .text(HistoryOutcome(options, store).rawValue)),
            ("backup", .text(orNull: result?.backup?.path)),
            ("identifierBefore", .text(orNull: store.metadata[NSStoreUUIDKey] as? String)),
            ("identifierAfter", .text(orNull: result?.identifier)),
            ("bytesBefore", .integer(store.sizes.total)),
            ("bytesAfter", .integer(orNull: result?.sizes.total)),
        ])
    }
}

import CoreData
import Foundation

extension StoreSnapshot {
    /// What `info --json` prints; the keys are documented in Documentation/Tool.md and do not change.
    var json: JSON {
        .object([
            ("file", .text(path.given)),
            ("path", .text(path.path)),
            ("identifier", .text(orNull: metadata[NSStoreUUIDKey] as? String)),
            ("type", .text(orNull: metadata[NSStoreTypeKey] as? String)),
            ("frameworkVersion", number(StoreMetadata.frameworkVersionKey)),
            ("maximumFrameworkVersion", number(StoreMetadata.maximumFrameworkVersionKey)),
            ("model", modelJSON),
            ("rows", .integer(totalRows)),
            ("entities", .list(entities.map(json))),
            ("joinTables", .list(joinTables.map(json))),
            ("files", filesJSON),
            ("database", databaseJSON),
            ("history", historyJSON),
            (
                "mirroring",
                .object([("isMirrored", .boolean(isMirrored)), ("tables", .list(mirroringTables.map(json)))])
            ),
            ("metadata", MetadataValue.json(metadata)),
            ("problems", .texts(problems)),
        ])
    }

    private func number(_ key: String) -> JSON {
        .integer(orNull: (metadata[key] as? NSNumber)?.int64Value)
    }

    private var modelJSON: JSON {
        let state =
            switch model {
            case .none: "none"
            case .cached: "cached"
            case .unreadable: "unreadable"
            }
        return .object([
            ("state", .text(state)),
            ("agreesWithHashes", modelAgrees.map(JSON.boolean) ?? .null),
            ("versionIdentifiers", .texts(versionIdentifiers)),
            ("hashesVersion", number(StoreMetadata.hashesVersionKey)),
            ("digest", .text(orNull: metadata[StoreMetadata.hashesDigestKey] as? String)),
            ("checksum", .text(orNull: metadata[StoreMetadata.checksumKey] as? String)),
        ])
    }

    private func json(_ entity: Entity) -> JSON {
        .object([
            ("name", .text(entity.name)),
            ("number", .integer(entity.number)),
            ("parent", .text(orNull: entity.parent.map { entities[$0].name })),
            ("isAbstract", entity.isAbstract.map(JSON.boolean) ?? .null),
            ("table", .text(orNull: entity.table)),
            ("rows", .integer(entity.rows)),
            ("rowsWithSubentities", .integer(entity.rowsWithSubentities)),
            ("lastKey", entity.parent == nil ? .integer(entity.lastKey) : .null),
            ("versionHash", .text(orNull: hashes[entity.name]?.base64EncodedString())),
        ])
    }

    private func json(_ table: Table) -> JSON {
        .object([("name", .text(table.name)), ("rows", .integer(table.rows))])
    }

    private var filesJSON: JSON {
        .object([
            (
                "group",
                .list(
                    sizes.files.map {
                        .object([
                            ("role", .text($0.role)), ("path", .text($0.path)), ("bytes", .integer($0.bytes)),
                        ])
                    })
            ),
            (
                "externalData",
                .object([
                    ("path", .text(sizes.externalFolder)), ("files", .count(sizes.externalCount)),
                    ("bytes", .integer(sizes.externalBytes)),
                ])
            ),
            ("totalBytes", .integer(sizes.total)),
        ])
    }

    private var databaseJSON: JSON {
        .object([
            ("pageSize", .integer(layout.pageSize)), ("pages", .integer(layout.pages)),
            ("freePages", .integer(layout.freePages)),
            ("journal", .text(path.usesWriteAheadLog ? "wal" : "rollback")),
            ("autoVacuum", .text([1: "full", 2: "incremental"][layout.autoVacuum] ?? "none")),
        ])
    }

    private var historyJSON: JSON {
        guard let history else { return .null }
        return .object([
            ("transactions", .integer(history.transactions)), ("changes", .integer(history.changes)),
            ("first", .text(orNull: history.first.flatMap(Quantity.time))),
            ("last", .text(orNull: history.last.flatMap(Quantity.time))),
        ])
    }
}

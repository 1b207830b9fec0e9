import CoreData
import Foundation

/// A store's summary for people.
struct InfoListing {
    private let store: StoreSnapshot
    private let console: Console
    private let style: Style

    init(_ store: StoreSnapshot, _ console: Console) {
        self.store = store
        self.console = console
        style = console.style
    }

    func print() {
        console.print(style.bold(store.path.given.printable(limit: 4096)))
        printStore()
        printEntities()
        printFiles()
        printMetadata()
        for problem in store.problems { console.warn(problem.printable(limit: 1000)) }
    }

    // MARK: Parts

    private func printStore() {
        let metadata = store.metadata
        var facts: [(String, String?)] = []
        if store.path.given != store.path.path, isLink { facts.append(("leads to", text(store.path.path))) }
        facts.append(("identifier", (metadata[NSStoreUUIDKey] as? String).map(text)))
        var framework = (metadata[StoreMetadata.frameworkVersionKey] as? NSNumber).map { "Core Data \($0)" }
        if let maximum = metadata[StoreMetadata.maximumFrameworkVersionKey] as? NSNumber {
            framework = (framework ?? "") + ", opened by up to \(maximum)"
        }
        facts.append(("written by", framework))
        facts.append(("model", model))
        let identifiers = store.versionIdentifiers.filter { !$0.isEmpty }
        facts.append(
            (
                "version identifiers",
                identifiers.isEmpty ? "none" : identifiers.map(text).joined(separator: ", ")
            ))
        facts.append(("checksum", (metadata[StoreMetadata.checksumKey] as? String).map(text)))
        facts.append(("history", history))
        facts.append(("CloudKit mirroring", mirroring))
        printFacts(facts)
    }

    private func printEntities() {
        let columns: [(title: String, alignment: Table.Alignment)] = [
            ("entity", .left), ("rows", .right), ("with subentities", .right), ("table", .left), ("last key", .right),
            ("version hash", .left),
        ]
        var table = Table(columns)
        let hashes = store.hashes
        for (index, entity) in store.entities.enumerated() {
            let hasChildren = index + 1 < store.entities.count && store.entities[index + 1].parent == index
            let isRoot = entity.parent == nil
            let name = String(repeating: "  ", count: min(entity.depth, 16)) + text(entity.name)
            table.add([
                name + (entity.isAbstract == true ? " (abstract)" : ""),
                entity.table == nil ? "no table" : Quantity.count(entity.rows),
                hasChildren ? Quantity.count(entity.rowsWithSubentities) : "",
                isRoot ? text(entity.table ?? "") : "", isRoot ? Quantity.count(entity.lastKey) : "",
                hashes[entity.name]?.base64EncodedString() ?? "",
            ])
        }
        let count = Quantity.count(Int64(store.entities.count), "entity", "entities")
        section("Entities", "\(count), \(Quantity.count(store.totalRows, "row"))", table)
        var joins = Table([("table", .left), ("pairs", .right)])
        for join in store.joinTables { joins.add([text(join.name), Quantity.count(join.rows)]) }
        section("Many-to-many relationships", nil, joins)
        var mirroring = Table([("table", .left), ("rows", .right)])
        for table in store.mirroringTables { mirroring.add([text(table.name), Quantity.count(table.rows)]) }
        section("CloudKit mirroring", nil, mirroring)
    }

    private func printFiles() {
        let sizes = store.sizes
        var table = Table([("", .left), ("", .right), ("", .left)])
        let names = ["main": "database", "wal": "write-ahead log", "shm": "log index", "journal": "rollback journal"]
        for file in sizes.files {
            table.add([names[file.role] ?? file.role, Quantity.count(file.bytes), note(file)])
        }
        if sizes.externalCount > 0 {
            let count = Quantity.count(Int64(sizes.externalCount), "file")
            table.add(["external data", Quantity.count(sizes.externalBytes), count])
        }
        section("Files", Quantity.bytes(sizes.total), table)
    }

    private func printMetadata() {
        var table = Table([("", .left), ("", .left)])
        let shown: Set<String> = [
            NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
            StoreMetadata.frameworkVersionKey, StoreMetadata.maximumFrameworkVersionKey, StoreMetadata.checksumKey,
        ]
        for (key, value) in store.metadata.sorted(by: { $0.key < $1.key }) where !shown.contains(key) {
            table.add([text(key), MetadataValue.text(value)])
        }
        section("Other metadata", nil, table)
    }

    // MARK: Facts

    private var isLink: Bool {
        var information = stat()
        return lstat(store.path.given, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
    }

    private var model: String {
        switch store.model {
        case .none: "none cached in the store"
        case .unreadable: style.red("cached in the store, but unreadable")
        case .cached:
            store.modelAgrees == true
                ? "cached in the store, agrees with the version hashes"
                : "cached in the store; its version hashes are not all those of the metadata"
        }
    }

    private var history: String {
        guard let history = store.history else { return "never tracked" }
        var text =
            "\(Quantity.count(history.transactions, "transaction")), \(Quantity.count(history.changes, "change"))"
        if let first = history.first.flatMap(Quantity.time), let last = history.last.flatMap(Quantity.time) {
            text += first == last ? ", \(first)" : ", \(first) to \(last)"
        }
        return text
    }

    private var mirroring: String { store.isMirrored ? style.yellow("yes") : "no" }

    private func note(_ file: FileGroupSizes.File) -> String {
        guard file.role == "main" else { return "" }
        let layout = store.layout
        let vacuum = [1: ", full auto-vacuum", 2: ", incremental auto-vacuum"][layout.autoVacuum] ?? ""
        return "\(Quantity.count(layout.pages, "page")) of \(Quantity.count(layout.pageSize)) bytes, "
            + "\(Quantity.count(layout.freePages)) free, "
            + (store.path.usesWriteAheadLog ? "WAL mode" : "rollback journal") + vacuum
    }

    // MARK: Printing

    private func text(_ text: String) -> String { text.printable(limit: 200) }

    private func printFacts(_ facts: [(String, String?)]) {
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        for case (let name, let value?) in facts {
            console.print("  " + style.dim(name.padded(to: width)) + value)
        }
    }

    private func section(_ title: String, _ remark: String?, _ table: Table) {
        if table.isEmpty { return }
        console.print()
        console.print(style.bold(title) + (remark.map { ": " + $0 } ?? ""))
        table.lines(style).forEach(console.print)
    }
}

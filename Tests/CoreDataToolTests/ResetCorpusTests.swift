import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("reset of real stores", .enabled(if: Corpus.isUsable && SQLiteShell.isUsable))
struct ResetCorpusTests {
    @Test(
        "--records leaves no row, and the store takes new ones", arguments: Corpus.storesWithModel
    )
    func records(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let reading = RawStore(url: try Corpus.copy(path, to: folder, as: "raw.sqlite"))
        let rows = try reading.rowsByEntityNumber().values.reduce(0, +)
        let keys = try reading.lines(Self.lastKeys)
        let identity = try reading.lines("SELECT Z_UUID, hex(Z_PLIST) FROM Z_METADATA")
        let hadHistory = try reading.lines("SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'") == ["1"]

        let run = ToolRun("reset", "--records", "--yes", "--json", copy.path)
        #expect(run.code == 0, "\(run.errors)")
        let json = try run.json()
        #expect(json["rowsDeleted"] as? Int == rows)
        #expect(json["history"] as? String == (hadHistory ? "recorded" : "none"))
        let raw = RawStore(url: copy)
        try expectEmpty(raw)
        #expect(try raw.lines(Self.lastKeys) == keys)
        #expect(try raw.lines("SELECT Z_UUID, hex(Z_PLIST) FROM Z_METADATA") == identity)
        if hadHistory {
            let before = try reading.count("ACHANGE")
            #expect(try raw.count("ACHANGE") == before + rows)
            let last =
                "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION)"
            if rows > 0 { #expect(try raw.lines(last) == ["\(rows)"]) }
        }
        try expectNewRow(copy, raw, after: keys)
    }

    @Test("--store makes a new store, which takes rows", arguments: Corpus.storesWithModel)
    func store(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let reading = RawStore(url: try Corpus.copy(path, to: folder, as: "raw.sqlite"))
        let identifier = try sqlite3(reading.url, "SELECT Z_UUID FROM Z_METADATA")
        let hash = try ToolRun("schema", "--json", copy.path).json()["checksum"] as? String

        let run = ToolRun("reset", "--store", "--yes", "--json", copy.path)
        #expect(run.code == 0, "\(run.errors)")
        let raw = RawStore(url: copy)
        let newIdentifier = try sqlite3(copy, "SELECT Z_UUID FROM Z_METADATA")
        #expect(newIdentifier != identifier)
        #expect(try run.json()["identifierBefore"] as? String == identifier)
        #expect(try run.json()["identifierAfter"] as? String == newIdentifier)
        try expectEmpty(raw)
        #expect(try ToolRun("schema", "--json", copy.path).json()["checksum"] as? String == hash)
        try expectNewRow(copy, raw, after: raw.lines(Self.lastKeys))
    }

    @Test(
        "a store without a model can only be replaced as a whole",
        arguments: Corpus.stores.filter { !Corpus.storesWithModel.contains($0) })
    func withoutModel(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let before = try fingerprint(of: folder.url)
        let refusal = ToolRun("reset", "--records", "--yes", copy.path)
        #expect(refusal.code == 1)
        #expect(refusal.errors.contains("--model PATH, or replace the whole store: coredata reset --store"))
        #expect(try fingerprint(of: folder.url) == before)

        let run = ToolRun("reset", "--store", "--yes", copy.path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("An empty database stays"))
        #expect(try sqlite3(copy, "PRAGMA integrity_check; SELECT count(*) FROM sqlite_master") == "ok\n0")
        let model = SmallModel.make()
        let container = try OpenedStore.open(copy, model, tracksHistory: false, 5)
        try SmallModel.add(1, to: container)
        try container.close()
        #expect(try sqlite3(copy, "SELECT Z_PK, ZTEXT FROM ZNOTE") == "1|note 0")
    }

    @Test("what is left has no dangling key", arguments: Corpus.storesWithModel)
    func selections(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let original = try Corpus.copy(path, to: folder, as: "original.sqlite")
        let snapshot = try StoreSnapshot.read(original.path, timeout: 5)
        let candidates = snapshot.entities.filter { $0.rowsWithSubentities > 0 }.prefix(2).map(\.name)
        guard snapshot.entities.count > 1, let first = candidates.first, let names = snapshot.names else { return }
        let dangling = try Dangling(names, snapshot.cachedModel).count(
            in: try Corpus.copy(path, to: folder, as: "raw.sqlite"))
        var lists = [["--entity", first], ["--keep", first]]
        if let last = candidates.last, last != first {
            lists += [["--entity", first, "--keep", last], ["--keep", first, "--keep", last]]
        }
        for (index, list) in lists.enumerated() {
            let copy = folder.url("copy\(index).sqlite")
            try FileGroup.copy(from: original, to: copy)
            let preview =
                index == 0 ? ToolRun(["reset", "--records", "--dry-run", "--json"] + list + [copy.path]) : nil
            let run = ToolRun(["reset", "--records", "--yes", "--json"] + list + [copy.path])
            #expect(preview == nil || run.code == preview?.code)
            let raw = RawStore(url: copy)
            #expect(try sqlite3(copy, "PRAGMA integrity_check") == "ok")
            let after = try raw.rowsByEntityNumber()
            guard run.code == 0 else {
                // A mandatory relationship, or a cascade to what is to be kept.
                #expect(run.errors.contains("mandatory") || run.errors.contains("kept"), "\(list) \(run.errors)")
                #expect(after.values.reduce(0, +) == Int(snapshot.totalRows))
                continue
            }
            let told = try #require(try run.json()["entities"] as? [[String: Any]])
            if let preview {
                #expect(try preview.json()["rowsDeleted"] as? Int == run.json()["rowsDeleted"] as? Int)
            }
            for (entity, row) in zip(snapshot.entities, told) {
                #expect(row["before"] as? Int == Int(entity.rows), "\(list) \(entity.name)")
                #expect(row["after"] as? Int == after[Int(entity.number)] ?? 0, "\(list) \(entity.name)")
            }
            #expect(try Dangling(names, snapshot.cachedModel).count(in: copy) <= dangling, "\(list)")
        }
    }

    // MARK: Truths

    /// The last keys of root entities, by their number.
    static let lastKeys = "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"

    private func expectEmpty(_ raw: RawStore) throws {
        for table in try raw.entityTables() + raw.joinTables() { #expect(try raw.count(table) == 0, "\(table)") }
        #expect(try sqlite3(raw.url, "PRAGMA integrity_check") == "ok")
    }

    /// Opens the store with its own model and adds an object of an entity that asks for no other.
    private func expectNewRow(_ url: URL, _ raw: RawStore, after keys: [String]) throws {
        let snapshot = try StoreSnapshot.read(url.path, timeout: 5)
        let model = try #require(snapshot.cachedModel)
        let container = try OpenedStore.open(url, model, tracksHistory: snapshot.history != nil, 5)
        let context = container.newBackgroundContext()
        let made = try context.performAndWait { try NewObject.insert(model, context) }
        try container.close()
        guard let made, let entity = snapshot.entities.first(where: { $0.name == made.root }) else { return }
        let old = keys.first { $0.hasPrefix("\(entity.number)|") }?.split(separator: "|").last.flatMap { Int($0) } ?? 0
        #expect(try sqlite3(url, "SELECT max(Z_PK) FROM \(entity.table ?? "")") == "\(old + 1)")
    }
}

/// Keys that lead to no row, counted by raw SQL over the tables and columns of the model.
struct Dangling {
    private var queries: [String] = []

    init(_ names: StoreNames, _ model: NSManagedObjectModel?) {
        let tables = Dictionary(names.entities.map { ($0.name, $0.table) }) { first, _ in first }
        var seen: Set<String> = []
        for entity in names.entities {
            for relationship in model?.entitiesByName[entity.name]?.relationshipsByName.values ?? [:].values {
                guard let destination = tables[relationship.destinationEntity?.name ?? ""] else { continue }
                if let column = entity.columns[relationship.name] {
                    let sql = Self.query(entity.table, column, destination)
                    if seen.insert(sql).inserted { queries.append(sql) }
                } else if let place = entity.toMany[relationship.name], let member = place.member {
                    for sql in [
                        Self.query(place.table, member, destination),
                        Self.query(place.table, place.owner, entity.table),
                    ]
                    where seen.insert(sql).inserted {
                        queries.append(sql)
                    }
                }
            }
        }
    }

    private static func query(_ table: String, _ column: String, _ destination: String) -> String {
        "SELECT count(*) FROM \"\(table)\" WHERE \"\(column)\" NOT NULL AND \"\(column)\" NOT IN (SELECT Z_PK FROM \"\(destination)\")"
    }

    func count(in url: URL) throws -> Int {
        if queries.isEmpty { return 0 }
        return try sqlite3(url, queries.joined(separator: ";\n")).split(separator: "\n").compactMap { Int($0) }.reduce(
            0, +)
    }
}

/// An object with a value in each mandatory attribute.
enum NewObject {
    /// - Returns: the name of its root entity; nil if every entity asks for other objects.
    static func insert(_ model: NSManagedObjectModel, _ context: NSManagedObjectContext) throws -> (
        entity: String, root: String
    )? {
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            let relationships = entity.relationshipsByName.values
            let attributes = entity.attributesByName.values.filter { !$0.isOptional && $0.defaultValue == nil }
            guard !entity.isAbstract, relationships.allSatisfy(\.isOptional), let name = entity.name,
                attributes.allSatisfy({ value($0.attributeType) != nil && !($0 is NSDerivedAttributeDescription) })
            else { continue }
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            for attribute in attributes { object.setValue(value(attribute.attributeType), forKey: attribute.name) }
            do {
                try context.save()
            } catch {
                // A validation predicate that asks for more than any value.
                context.rollback()
                continue
            }
            var root = entity
            while let parent = root.superentity { root = parent }
            return (name, root.name ?? "")
        }
        return nil
    }

    private static func value(_ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
            .doubleAttributeType, .floatAttributeType:
            NSNumber(value: 1)
        case .decimalAttributeType: NSDecimalNumber(string: "1")
        case .stringAttributeType: "text"
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 700_000_000)
        case .binaryDataAttributeType: Data([1])
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(string: "https://example.org")
        default: nil
        }
    }
}

import CoreData
import Foundation
import TestSupport
import Testing

/// What our saves leave in a copy of a real store, by raw SQL.
@Suite("Real stores: writing", .enabled(if: Corpus.isUsable, "the corpus is absent"))
struct StoreWritingTests {
    @Test("inserted objects of every entity stand in the file as they were made", arguments: Corpus.stores)
    func inserting(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let writing = try StoreWriting(path, at: copy)
            let context = writing.newContext()
            let maker = ObjectMaker(context, writing.columns, triggerColumns: writing.triggerColumns)
            let entities = writing.store.model.entities.filter { !$0.isAbstract }
            let primary = entities.map(maker.make)
            primary.forEach(maker.connectAll)
            let skipped = Self.deleteInvalid(context)

            let (before, after, changes) = try writing.save(context)
            #expect(try writing.differences(before, after, changes) == [])
            #expect(try valueDifferences(maker, after, writing, of: changes.inserted) == [])
            let missing = entities.filter { entity in !changes.inserted.contains { $0.entity === entity } }
            print(
                "inserted into \(path): \(changes.inserted.count) objects of \(entities.count) entities; skipped \(skipped) "
                    + "objects, entities \(missing.map(\.title))")
            #expect(missing.isEmpty)
            try writing.store.close()
        }
    }

    /// Deletes the inserted objects that validation refuses; returns how many.
    private static func deleteInvalid(_ context: NSManagedObjectContext) -> Int {
        var count = 0
        while true {
            context.processPendingChanges()
            let invalid = context.insertedObjects.filter { (try? $0.validateForInsert()) == nil }
            if invalid.isEmpty { return count }
            count += invalid.count
            invalid.forEach(context.delete)
        }
    }

    private func valueDifferences(
        _ maker: ObjectMaker, _ after: StoreDump, _ writing: StoreWriting, of inserted: Set<NSManagedObject>
    ) throws -> [String] {
        var differences: [String] = []
        for (object, values) in maker.values where inserted.contains(object) {
            let table = after.records[ExpectedColumns.table(of: object.entity)]
            for (path, attribute) in object.entity.allStoredAttributes {
                guard let expected = values[path], let column = writing.columns.value(object.entity, path) else {
                    continue
                }
                let raw = table?.value(object.recordKey.key, column) ?? .null
                if AttributeForm.stored(raw, attribute) != expected {
                    differences.append("\(object.recordKey).\(path): \(raw) for \(expected)")
                }
            }
        }
        let database = try RawDatabase(writing.store.url)
        for (owner, relationship, members) in maker.orders where inserted.contains(owner) {
            guard let place = writing.columns.members(owner.entity, relationship), let order = place.order else {
                differences.append("\(owner.recordKey).\(relationship.name) has no order")
                continue
            }
            let rows = try database.rows(
                "SELECT \(place.member), \(order) FROM \(place.table) WHERE \(place.owner) = \(owner.recordKey.key) ORDER BY 2"
            )
            let expected = members.filter(inserted.contains).map(\.recordKey.key)
            if rows.map(\.first?.integer) != expected { differences.append("\(owner.recordKey).\(relationship.name)") }
        }
        return differences
    }

    @Test("an update changes its column, its version and its history alone", arguments: Corpus.stores)
    func updating(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let writing = try StoreWriting(path, at: copy)
            let context = writing.newContext()
            let maker = ObjectMaker(context, writing.columns, triggerColumns: writing.triggerColumns)
            var exact: [RecordKey: (columns: [String: RawValue], properties: Set<String>)] = [:]
            var reordered: Set<String> = []
            for entity in writing.store.model.entities where !entity.isAbstract {
                let objects = try writing.objects(of: entity, context)
                if let object = objects.first, let change = Self.change(object, maker, writing) {
                    exact[object.recordKey] = ([change.column: change.value], [change.name])
                }
                for relationship in entity.storedRelationships where relationship.isOrdered {
                    guard let place = writing.columns.members(entity, relationship),
                        let owner = objects.last(where: {
                            $0.mutableOrderedSetValue(forKey: relationship.name).count > 2
                        })
                    else { continue }
                    let members = owner.mutableOrderedSetValue(forKey: relationship.name)
                    members.moveObjects(at: IndexSet(integer: members.count - 1), to: 0)
                    reordered.insert(place.table)
                    exact[owner.recordKey, default: ([:], [])].properties.insert(relationship.name)
                }
            }
            let (before, after, changes) = try writing.save(context) { changes in
                changes.exact = exact
                changes.reordered = reordered
            }
            #expect(changes.updated == Set(exact.keys))
            #expect(try writing.differences(before, after, changes) == [])
            print("updated in \(path): \(exact.count) objects, order in \(reordered.sorted())")
            try writing.store.close()
        }
    }

    /// Changes one attribute of an object.
    private static func change(
        _ object: NSManagedObject, _ maker: ObjectMaker, _ writing: StoreWriting
    ) -> (column: String, name: String, value: RawValue)? {
        let entity = object.entity
        let constrained = entity.lineage.flatMap(\.uniquenessConstraints).joined().compactMap { element in
            element as? String ?? (element as? NSPropertyDescription)?.name
        }
        for (path, attribute) in entity.allStoredAttributes
        where !constrained.contains(path) && maker.canSet(entity, path, attribute) {
            guard let column = writing.columns.value(entity, path),
                let value = maker.setNewValue(path, attribute, of: object)
            else { continue }
            if (try? object.validateForUpdate()) != nil { return (column, path, value) }
            object.managedObjectContext?.refresh(object, mergeChanges: false)
        }
        return nil
    }

    @Test("a deletion takes its row, what its rules say and nothing else", arguments: Corpus.stores)
    func deleting(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let writing = try StoreWriting(path, at: copy)
            var deleted: [String] = []
            var refused: [String] = []
            for entity in writing.store.model.entities where !entity.isAbstract {
                let context = writing.newContext()
                guard let object = try writing.objects(of: entity, context).last else { continue }
                context.delete(object)
                context.processPendingChanges()
                let isAllowed =
                    context.deletedObjects.allSatisfy { (try? $0.validateForDelete()) != nil }
                    && context.updatedObjects.allSatisfy { (try? $0.validateForUpdate()) != nil }
                guard isAllowed else {
                    refused.append(entity.title)
                    continue
                }
                let (before, after, changes) = try writing.save(context)
                #expect(!changes.deleted.isEmpty)
                #expect(
                    try writing.differences(before, after, changes, comparesObjects: false) == [], "\(entity.title)")
                deleted.append(entity.title)
            }
            #expect(try writing.comparisonDifferences() == [])
            print("deleted in \(path): \(deleted); refused \(refused)")
            try writing.store.close()
        }
    }

    @Test(
        "the check itself sees a change that nobody made",
        arguments: [
            "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME = 'Car'",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX - 1 WHERE Z_NAME = 'Person'",
            "UPDATE ZCAR SET Z_OPT = Z_OPT + 1 WHERE Z_PK = 3", "UPDATE ZCAR SET Z_ENT = 2 WHERE Z_PK = 126",
            "UPDATE ZPERSON SET ZFIRSTNAME = ZFIRSTNAME || 'x' WHERE Z_PK = 3", "DELETE FROM ZCAR WHERE Z_PK = 4",
            "DELETE FROM Z_1PREVIOUSOWNERS WHERE rowid = 5", "UPDATE Z_METADATA SET Z_VERSION = 2",
            "INSERT INTO ZMAKER (Z_PK, Z_ENT, Z_OPT) VALUES (12, 4, 1)",
        ])
    func checkIsSharp(_ change: String) throws {
        try Corpus.withCopy(of: "stores/alemar11+CoreDataPlus/hist-SampleModelV2.sqlite") { copy in
            let writing = try StoreWriting("stores/alemar11+CoreDataPlus/hist-SampleModelV2.sqlite", at: copy)
            let context = writing.newContext()
            let maker = ObjectMaker(context, writing.columns, triggerColumns: writing.triggerColumns)
            _ = maker.make(try #require(writing.store.model.entitiesByName["Car"]))
            let (before, after, changes) = try writing.save(context)
            #expect(try writing.differences(before, after, changes, comparesObjects: false) == [])
            _ = try sqlite3(copy, change)
            let changed = try StoreDump(RawDatabase(copy))
            #expect(try !writing.differences(before, changed, changes, comparesObjects: false).isEmpty)
            try writing.store.close()
        }
    }
}

/// A store that is written, and its file.
struct StoreWriting {
    let store: RealStore
    let columns: ExpectedColumns
    let triggerColumns: Set<String>
    private let author = "author № 1"

    init(_ path: String, at copy: URL) throws {
        store = try RealStore(path, at: copy)
        let database = try RawDatabase(copy)
        columns = try ExpectedColumns(store.model, database)
        triggerColumns = try StoreDump.triggerColumns(database)
    }

    func newContext() -> NSManagedObjectContext {
        let context = store.newContext()
        context.transactionAuthor = author
        return context
    }

    /// All objects of just the entity, by key.
    func objects(of entity: NSEntityDescription, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.title)
        request.includesSubentities = false
        return try context.fetch(request).sorted { $0.recordKey.key < $1.recordKey.key }
    }

    /// Saves, and looks at the file before and afterwards.
    func save(
        _ context: NSManagedObjectContext, _ describe: (inout SaveChanges) -> Void = { _ in }
    ) throws -> (before: StoreDump, after: StoreDump, changes: SaveChanges) {
        let before = try StoreDump(RawDatabase(store.url))
        var changes = SaveChanges(context)
        describe(&changes)
        try context.save()
        return (before, try StoreDump(RawDatabase(store.url)), changes)
    }

    /// What the file and the objects of a new context show that the save does not account for.
    func differences(
        _ before: StoreDump, _ after: StoreDump, _ changes: SaveChanges, comparesObjects: Bool = true
    ) throws -> [String] {
        guard !changes.isEmpty else { return [] }
        var check = SaveCheck(store, columns, triggerColumns: triggerColumns, author: author)
        check.compare(before, after, changes)
        let integrity = try RawDatabase(store.url).column("PRAGMA integrity_check")
        let damage = integrity == [.text("ok")] ? [] : ["integrity: \(integrity)"]
        return damage + check.differences + (comparesObjects ? try comparisonDifferences() : [])
    }

    func comparisonDifferences() throws -> [String] {
        var comparison = try StoreComparison(store)
        try comparison.run()
        return comparison.differences
    }
}

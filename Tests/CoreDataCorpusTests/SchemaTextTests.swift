import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The statements we make a store with against those that Apple's framework made each store of the corpus with.
@Suite("Schema text", .enabled(if: Corpus.isUsable, "the corpus is absent"))
struct SchemaTextTests {
    @Test("a store's tables, indexes and triggers have the text we give them", arguments: Corpus.storesWithModel)
    func text(_ path: String) throws {
        let theirs = try StoreText(path)
        let plan = SchemaPlan(model: theirs.model, configuration: nil)
        var ours = plan.statements()
        if theirs.hasHistory { ours += plan.historyStatements }
        let rewrites = theirs.rewrites
        for rewrite in rewrites { ours = rewrite.apply(ours, theirs) }

        #expect(Set(ours).subtracting(theirs.statements) == [], "only ours")
        #expect(Set(theirs.statements).subtracting(ours) == [], "only theirs")
        #expect(ours.count == theirs.statements.count)
        #expect(rewrites.isEmpty || theirs.frameworkVersion < 1044, "the newest generation needs no rewrites")

        let order = ours == theirs.statements ? "same order" : "another order"
        #expect((order == "same order") == !StoreText.inAnotherOrder.contains(path))
        let how = rewrites.isEmpty ? "identical" : "after " + rewrites.map(\.rawValue).joined(separator: ", ")
        print("schema text: framework \(theirs.frameworkVersion) \(path): \(how), \(order)")
    }

    @Test("a model's source gives the statements that the model cached in the store gives", arguments: sourcePairs)
    func sources(_ pair: SourcePair) throws {
        let source = try NSManagedObjectModel.loadModel(
            at: Corpus.url(pair.source).deletingLastPathComponent())
        let ours = SchemaPlan(model: source, configuration: nil).statements()
        let theirs = SchemaPlan(model: try pair.model(), configuration: nil).statements()
        #expect(Set(ours).symmetricDifference(theirs) == [])
    }

    /// The pairs of PAIRS.tsv whose source is the model of the store or compiled model. The other rows name a source that is
    /// not (VERSION-HASH.md, section 6).
    static let sourcePairs: [SourcePair] = {
        let text = (try? String(contentsOf: Corpus.url("PAIRS.tsv"), encoding: .utf8)) ?? ""
        var pairs: Set<SourcePair> = []
        for line in text.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count >= 5 else { continue }
            pairs.insert(SourcePair(file: columns[0], source: columns[4]))
        }
        let wrong = ["CartStorage@cb4e6cd", "CartStorage@5cbc0f9", "TestModel@7804852", "Bookmarks_V2"]
        return pairs.filter { pair in !wrong.contains { pair.file.contains($0) } }.sorted { $0.file < $1.file }
    }()

    @Test("the pairs name both stores and compiled models")
    func pairCount() {
        #expect(Self.sourcePairs.filter { $0.file.hasPrefix("stores/") }.count >= 14)
        #expect(Self.sourcePairs.count >= 25)
    }
}

/// A line of PAIRS.tsv without its entity.
struct SourcePair: Hashable, CustomTestStringConvertible {
    let file: String
    let source: String

    var testDescription: String { file }

    func model() throws -> NSManagedObjectModel {
        if file.hasPrefix("stores/") { return try StoreText(file).model }
        return try NSManagedObjectModel.model(fromArchive: Data(contentsOf: Corpus.url(file)))
    }
}

/// The statements of a store, read by the `sqlite3` shell.
struct StoreText {
    let path: String
    let model: NSManagedObjectModel
    let frameworkVersion: Int
    let statements: [String]

    init(_ path: String) throws {
        self.path = path
        let (cache, plist, text) = try Corpus.withCopy(of: path) { copy in
            // The tables behind an R-tree are SQLite's own.
            let sql = """
                SELECT replace(sql, char(10), '\\n') FROM sqlite_master WHERE sql NOT NULL
                AND NOT (name GLOB 'Z_RT_*' AND name GLOB '*_[nrp][oa][dwr]*' AND type = 'table'
                         AND sql NOT LIKE 'CREATE VIRTUAL%') ORDER BY rowid
                """
            return (
                try sqlite3(copy, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE"),
                try sqlite3(copy, "SELECT hex(Z_PLIST) FROM Z_METADATA"), try sqlite3(copy, sql)
            )
        }
        model = try NSManagedObjectModel.model(fromStoreCache: Data(hex: cache))
        let metadata = try PropertyListSerialization.propertyList(from: Data(hex: plist), format: nil)
        frameworkVersion = (metadata as? [String: Any])?["NSPersistenceFrameworkVersion"] as? Int ?? 0
        statements = text.split(separator: "\n").map(String.init)
    }

    var hasHistory: Bool { statements.contains { $0.hasPrefix("CREATE TABLE ACHANGE") } }

    /// What has to be done to our text of the newest generation before it is that of an older store.
    var rewrites: [SchemaRewrite] {
        switch (path as NSString).lastPathComponent {
        case "Moody.moody", "Moody 2.moody", "Moody 4.moody": [.formerIndexNames, .constraintsInTables]
        case "knowledgec-10.13.db": [.uniqueColumns, .historyWithoutStrings]
        case "Photos.sqlite": [.orderKeysAsTheirs, .photosOwn]
        default: []
        }
    }

    /// Stores whose statements are the same but stand in another order: join tables of one entity stand in the order of a hash
    /// table, a migration leaves its own, and framework 637 may make all tables before the first index.
    static let inAnotherOrder: Set<String> = [
        "stores/carekit-apple+CareKit/SampleStore2.1.sqlite",
        "stores/RhetTbull+photos_time_warp/Photos.sqlite",
        "stores/wibosco+CoreDataMigrationRevised-Example/CoreDataMigration_Example_2.sqlite",
        "stores/objcio+core-data/Moody.moody", "stores/objcio+core-data/Moody 2.moody",
        "stores/objcio+core-data/Moody 4.moody",
    ]
}

import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// Files that are damaged, forged or no files: an error or correct output, nothing changed, nothing for the terminal.
@Suite(.enabled(if: SQLiteShell.isUsable), .timeLimit(.minutes(5)))
struct HostileFileTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Runs every command; none may change anything, and no output may have an escape sequence.
    @discardableResult
    private func look(
        _ path: String, _ kind: String? = nil, location: SourceLocation = #_sourceLocation
    ) throws -> ToolRun {
        let before = try fingerprint(of: folder.url)
        var information: ToolRun?
        for words in [
            ["info"], ["info", "--json"], ["schema"], ["schema", "--json"], ["reset", "--records", "--dry-run"],
            ["reset", "--store", "--dry-run", "--json"], ["fetch"], ["fetch", "--json", "--sort", "text"],
        ] {
            let run = ToolRun(words + [path] + (words[0] == "fetch" ? ["Note"] : []))
            if words == ["info", "--json"] { information = run }
            #expect(run.code == 0 || run.code == 1, sourceLocation: location)
            #expect(run.code == 0 || !run.errors.isEmpty, sourceLocation: location)
            #expect(
                !(run.output + run.errors).unicodeScalars.contains { $0.isUnprintable && $0 != "\n" },
                sourceLocation: location)
        }
        #expect(try fingerprint(of: folder.url) == before, sourceLocation: location)
        let run = try #require(information)
        if let kind {
            #expect(run.code == 1, sourceLocation: location)
            #expect((try run.json()["error"] as? [String: Any])?["kind"] as? String == kind, sourceLocation: location)
            #expect(ToolRun("reset", "--store", "--yes", path).code == 1, sourceLocation: location)
            #expect(try fingerprint(of: folder.url) == before, sourceLocation: location)
        }
        return run
    }

    // MARK: No stores

    @Test func whatIsNoFileIsRefused() throws {
        try look(folder.path("nothing.sqlite"), "not-found")
        try look(folder.path, "not-a-file")
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try look(folder.path("pipe"), "not-a-file")
        try look("/dev/zero", "not-a-file")
        symlink(folder.path("nowhere"), folder.path("dangling"))
        try look(folder.path("dangling"), "not-found")
        symlink(folder.path("loop"), folder.path("loop"))
        try look(folder.path("loop"), "other")
    }

    @Test func whatIsNoDatabaseIsRefused() throws {
        try Data().write(to: folder.url("empty"))
        try look(folder.path("empty"), "not-a-store")
        try Data("SQLite format 3\0".utf8).write(to: folder.url("header"))
        try look(folder.path("header"), "damaged")
        try Data(repeating: 0x41, count: 10_000).write(to: folder.url("text"))
        try look(folder.path("text"), "not-a-store")
        try Data("bplist00".utf8 + [UInt8](repeating: 0, count: 100)).write(to: folder.url("plist"))
        try look(folder.path("plist"), "not-a-store")
    }

    @Test func twoGibibytesOfZerosAreRefusedAtOnce() throws {
        let url = folder.url("zeros.sqlite")
        try Data().write(to: url)
        #expect(truncate(url.path, 2 << 30) == 0)
        #expect(ToolRun("info", url.path).errors.contains("it is no SQLite database"))
        #expect(ToolRun("reset", "--store", "--yes", url.path).code == 1)
    }

    @Test func aDatabaseThatIsNoStoreIsRefused() throws {
        let url = folder.url("other.sqlite")
        _ = try sqlite3(url, "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try look(url.path, "not-a-store")
        #expect(ToolRun("info", url.path).errors.contains("no Core Data store: it has no table Z_METADATA"))
    }

    @Test func filesBesideAStoreMayBeAnything() throws {
        let url = try SmallModel.store(in: folder)
        #expect(mkfifo(url.path + "-shm", 0o600) == 0)
        #expect(mkfifo(url.path + "-wal", 0o600) == 0)
        try FileManager.default.createDirectory(atPath: url.path + "-journal", withIntermediateDirectories: true)
        #expect(try look(url.path).json()["rows"] as? Int == 4)
    }

    // MARK: Damage

    @Test func everyTruncationIsAnErrorOrCorrect() throws {
        let url = try SmallModel.store(in: folder)
        let whole = try Data(contentsOf: url)
        for count in stride(from: 100, to: whole.count, by: 4096 * 3 + 1) {
            try whole.prefix(count).write(to: folder.url("cut.sqlite"))
            let run = try look(folder.path("cut.sqlite"))
            #expect(run.code == 1)
        }
    }

    @Test func noFlippedBitStopsTheProgram() throws {
        let url = try SmallModel.store(in: folder)
        let whole = try Data(contentsOf: url)
        let copy = folder.url("flipped.sqlite")
        var generator = Generator(state: 0x5EED)
        for _ in 0..<80 {
            var data = whole
            for _ in 0..<(1 + Int(generator.next() % 8)) {
                data[Int(generator.next() % UInt64(data.count))] ^= 1 << UInt8(generator.next() % 8)
            }
            try data.write(to: copy)
            for words in [["info"], ["schema"], ["reset", "--records", "--dry-run", "--entity", "Note"]] {
                let run = ToolRun(words + [copy.path])
                #expect(run.code == 0 || run.code == 1)
            }
        }
    }

    @Test func viewsInTheirPlaceAreNotTakenForTables() throws {
        let endless =
            "AS WITH RECURSIVE n(Z_ENT) AS (SELECT 1 UNION ALL SELECT Z_ENT + 1 FROM n) SELECT Z_ENT, 1 AS Z_NAME, 0 AS Z_SUPER, 0 AS Z_MAX, 'x' AS Z_UUID, NULL AS Z_PLIST, 1 AS Z_VERSION, x'00' AS Z_CONTENT FROM n"
        for (index, table) in ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ZNOTE"].enumerated() {
            let url = try SmallModel.store(in: folder, name: "s\(index).sqlite")
            _ = try sqlite3(url, "DROP TABLE \(table); CREATE VIEW \(table) \(endless)")
            try look(url.path)
        }
    }

    @Test func aForgedTableThatCountsForEverIsStopped() throws {
        let url = try SmallModel.store(in: folder)
        // A generated column is worked out for every row that is counted.
        _ = try sqlite3(
            url,
            """
            DROP TABLE ZNOTE; CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_OPT, ZTEXT, ZATTACHMENT, ZFOLDER,
            Z_ENT AS (length(replace(hex(zeroblob(1000000)), '0', 'ab'))));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO ZNOTE (Z_PK) SELECT i FROM n;
            """)
        try look(url.path)
    }

    @Test func aForgedValueLargerThanTheFileIsNotMade() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url,
            """
            DROP TABLE ZNOTE; CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_OPT, ZTEXT, ZATTACHMENT, ZFOLDER,
            Z_ENT AS (length(hex(zeroblob(30000000)))));
            INSERT INTO ZNOTE (Z_PK) VALUES (1);
            """)
        try look(url.path, "damaged")
    }

    // MARK: Metadata and model

    private func storeWith(metadata hex: String) throws -> URL {
        let url = try SmallModel.store(in: folder, name: "m\(UUID().uuidString.prefix(8)).sqlite")
        _ = try sqlite3(url, "UPDATE Z_METADATA SET Z_PLIST = \(hex)")
        return url
    }

    private func expectProblem(_ url: URL, _ text: String) throws {
        let json = try look(url.path).json()
        #expect((json["problems"] as? [String])?.contains { $0.contains(text) } == true, "\(json["problems"] ?? "")")
        #expect(json["rows"] as? Int == 4)
    }

    @Test func metadataOfAnyKindAreToldOf() throws {
        try expectProblem(storeWith(metadata: "zeroblob(17000000)"), "too large")
        try expectProblem(storeWith(metadata: "x'00'"), "cannot be read")
        try expectProblem(storeWith(metadata: "'(((((((((('"), "cannot be read")
        let deep = String(repeating: "<array>", count: 200_000)
        try Data("<?xml version=\"1.0\"?><plist>\(deep)".utf8).write(to: folder.url("deep"))
        try expectProblem(storeWith(metadata: "readfile('\(folder.path("deep"))')"), "cannot be read")
        let wide = String(repeating: "(", count: 500_000)
        try Data(wide.utf8).write(to: folder.url("wide"))
        try expectProblem(storeWith(metadata: "readfile('\(folder.path("wide"))')"), "cannot be read")
    }

    @Test func metadataOfUnexpectedClassesAreShown() throws {
        let list: [String: Any] = [
            "NSStoreModelVersionHashes": ["Note": "no data", "\u{1B}[31m": Data([1])],
            "NSStoreModelVersionIdentifiers": [1, ["x"]],
            "NSPersistenceFrameworkVersion": "new\nline", "NSStoreType": 7,
            "a\u{1B}]0;title\u{7}": [Date.distantFuture, 0.5, true],
            "NSStoreModelVersionHashesDigest": Data([1, 2]),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try data.write(to: folder.url("list"))
        let url = try storeWith(metadata: "readfile('\(folder.path("list"))')")
        let json = try look(url.path).json()
        #expect(json["frameworkVersion"] is NSNull)
        let metadata = try #require(json["metadata"] as? [String: Any])
        #expect(metadata["NSStoreModelVersionHashesDigest"] as? [String: String] == ["data": "AQI="])
        #expect(metadata["a\u{1B}]0;title\u{7}"] is [Any])
    }

    @Test func cachedModelsOfAnyKindAreToldOf() throws {
        for contents in ["x'00'", "zeroblob(1000000)", "randomblob(100000)", "'text'"] {
            let url = try SmallModel.store(in: folder, name: "c\(UUID().uuidString.prefix(8)).sqlite")
            _ = try sqlite3(url, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(contents)")
            let json = try look(url.path).json()
            #expect((json["model"] as? [String: Any])?["state"] as? String == "unreadable")
            #expect(json["rows"] as? Int == 4)
            #expect(ToolRun("schema", url.path).errors.contains("the model cached in the store cannot be read"))
            #expect(ToolRun("reset", "--records", "--yes", url.path).errors.contains("holds no model that can be read"))
        }
    }

    @Test func aBombIsNotInflated() throws {
        let url = try SmallModel.store(in: folder)
        let bomb = try RawDeflate.deflate(Data(count: 200 << 20))
        try bomb.write(to: folder.url("bomb"))
        _ = try sqlite3(url, "UPDATE Z_MODELCACHE SET Z_CONTENT = readfile('\(folder.path("bomb"))')")
        let json = try look(url.path).json()
        #expect((json["model"] as? [String: Any])?["state"] as? String == "unreadable")
    }

    // MARK: Names

    @Test func namesWithQuotesAndEscapesAreNames() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(url, "DROP TABLE Z_MODELCACHE")
        let names = [
            "q\"uote", "a'b", "new\nline", "\u{1B}[31mred\u{7}", "semi; DROP TABLE ZNOTE",
            String(repeating: "n", count: 100_000),
        ]
        for (index, name) in names.enumerated() {
            let table = "Z" + name.uppercased()
            let sql = """
                CREATE TABLE "\(table.replacingOccurrences(of: "\"", with: "\"\""))" (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT);
                INSERT INTO "\(table.replacingOccurrences(of: "\"", with: "\"\""))" VALUES (1, \(index + 10), 1), (2, \(index + 10), 1);
                INSERT INTO Z_PRIMARYKEY VALUES (\(index + 10), '\(name.replacingOccurrences(of: "'", with: "''"))', 0, 2);
                """
            _ = try sqlite3(url, sql)
        }
        let json = try look(url.path).json()
        let entities = try #require(json["entities"] as? [[String: Any]])
        for name in names {
            #expect(entities.first { $0["name"] as? String == name }?["rows"] as? Int == 2, "\(name.prefix(20))")
        }
        #expect(ToolRun("info", url.path).output.contains("\\u{1B}[31mred\\u{7}"))
    }

    @Test func entitiesMayFormACircle() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url, "INSERT INTO Z_PRIMARYKEY VALUES (7, 'A', 8, 0), (8, 'B', 7, 0), (9, 'C', 9, 0), (10, NULL, 99, 0)")
        let json = try look(url.path).json()
        #expect((json["entities"] as? [[String: Any]])?.count == 6)
    }

    @Test func moreEntitiesThanAnyModelHasAreRefused() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url,
            "WITH RECURSIVE n(i) AS (SELECT -1 UNION ALL SELECT i - 1 FROM n WHERE i > -100000) INSERT INTO Z_PRIMARYKEY SELECT i, 'x', 0, 0 FROM n"
        )
        try look(url.path, "damaged")
    }
}

/// The same numbers in each run.
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 17
    }
}

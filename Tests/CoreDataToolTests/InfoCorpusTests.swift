import Foundation
import TestSupport
import Testing

@Suite("info about real stores", .enabled(if: Corpus.isUsable && SQLiteShell.isUsable))
struct InfoCorpusTests {
    @Test("rows, tables, files and history are those of raw SQL, and nothing changes", arguments: Corpus.stores)
    func counts(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let before = try fingerprint(of: copy.deletingLastPathComponent())
        let run = ToolRun("info", "--json", copy.path)
        #expect(try fingerprint(of: copy.deletingLastPathComponent()) == before)
        #expect(run.code == 0)
        #expect(run.errors == "")
        let information = try run.json()
        try expectFiles(information, copy)

        // A copy of the copy: the shell moves the log into the file.
        let raw = RawStore(url: try Corpus.copy(path, to: folder, as: "raw.sqlite"))
        let rows = try raw.rowsByEntityNumber()
        let entities = try #require(information["entities"] as? [[String: Any]])
        #expect(entities.count == Int(try sqlite3(raw.url, "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")))
        for entity in entities {
            let number = try #require(entity["number"] as? Int)
            #expect(entity["rows"] as? Int == rows[number] ?? 0, "\(entity)")
        }
        #expect(information["rows"] as? Int == rows.values.reduce(0, +))
        let joins = try #require(information["joinTables"] as? [[String: Any]])
        #expect(try joins.map { $0["name"] as? String } == raw.joinTables().sorted())
        for join in joins { #expect(try join["rows"] as? Int == raw.count(join["name"] as? String ?? "")) }
        try expectIdentity(information, raw)
        try expectHistory(information, raw)
        #expect(information["problems"] as? [String] == [])
    }

    private func expectFiles(_ information: [String: Any], _ copy: URL) throws {
        let files = try #require(information["files"] as? [String: Any])
        let group = try #require(files["group"] as? [[String: Any]])
        let sizes = FileGroup.contents(of: copy).mapValues(\.count)
        #expect(Set(group.compactMap { $0["bytes"] as? Int }) == Set(sizes.values))
        #expect(files["totalBytes"] as? Int == sizes.values.reduce(0, +))
    }

    private func expectIdentity(_ information: [String: Any], _ raw: RawStore) throws {
        #expect(try information["identifier"] as? String == sqlite3(raw.url, "SELECT Z_UUID FROM Z_METADATA"))
        let hasCache = try sqlite3(raw.url, "SELECT count(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'") == "1"
        let model = try #require(information["model"] as? [String: Any])
        #expect(model["state"] as? String == (hasCache ? "cached" : "none"))
        if hasCache { #expect(model["agreesWithHashes"] as? Bool == true) }
        let database = try #require(information["database"] as? [String: Any])
        #expect(try String(database["pages"] as? Int ?? -1) == sqlite3(raw.url, "PRAGMA page_count"))
        #expect(try String(database["pageSize"] as? Int ?? -1) == sqlite3(raw.url, "PRAGMA page_size"))
        #expect(try String(database["freePages"] as? Int ?? -1) == sqlite3(raw.url, "PRAGMA freelist_count"))
        #expect(try (database["journal"] as? String == "wal") == (sqlite3(raw.url, "PRAGMA journal_mode") == "wal"))
    }

    private func expectHistory(_ information: [String: Any], _ raw: RawStore) throws {
        let isThere = try sqlite3(raw.url, "SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTION'") == "1"
        guard isThere else { return #expect(information["history"] is NSNull) }
        let history = try #require(information["history"] as? [String: Any])
        #expect(history["transactions"] as? Int == (try raw.count("ATRANSACTION")))
        #expect(history["changes"] as? Int == (try raw.count("ACHANGE")))
        let sql =
            "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', CAST(min(ZTIMESTAMP) + 978307200 AS INTEGER), 'unixepoch') FROM ATRANSACTION"
        let first = try sqlite3(raw.url, sql)
        #expect(history["first"] as? String == (first.isEmpty ? nil : first))
    }

    @Test("inheritance is that of Z_PRIMARYKEY", arguments: Corpus.stores)
    func inheritance(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let entities = try #require(try ToolRun("info", "--json", copy.path).json()["entities"] as? [[String: Any]])
        let ours = entities.map { entity in
            "\(entity["number"] as? Int ?? -1)|\(entity["name"] as? String ?? "")|\(entity["parent"] as? String ?? "")"
        }
        let sql = """
            SELECT p.Z_ENT, p.Z_NAME, q.Z_NAME FROM Z_PRIMARYKEY p LEFT JOIN Z_PRIMARYKEY q ON q.Z_ENT = p.Z_SUPER
            WHERE p.Z_ENT < 16000 ORDER BY p.Z_ENT
            """
        #expect(try ours.sorted() == RawStore(url: copy).lines(sql).sorted())
    }

    @Test("rows that are only in the log are counted")
    func onlyInLog() throws {
        let path = "stores/duckduckgo+BrowserServicesKit/Bookmarks_V4.sqlite"
        let run = try ToolRun("info", "--json", Corpus.url(path).path).json()
        #expect(run["rows"] as? Int == 10)
        let folder = try TemporaryDirectory()
        let bare = folder.url("bare.sqlite")
        try FileManager.default.copyItem(at: Corpus.url(path), to: bare)
        #expect(try ToolRun("info", "--json", bare.path).json()["rows"] as? Int == 0)
    }

    @Test("the listing for people has every entity and every size", arguments: Corpus.stores)
    func listing(_ path: String) throws {
        let url = Corpus.url(path)
        let run = ToolRun("info", url.path)
        #expect(run.code == 0)
        #expect(run.errors == "")
        #expect(!run.output.unicodeScalars.contains { $0.isASCII && $0.value < 32 && $0 != "\n" })
        let json = try ToolRun("info", "--json", url.path).json()
        for entity in try #require(json["entities"] as? [[String: Any]]) {
            let name = try #require(entity["name"] as? String)
            let line = run.output.split(separator: "\n").first {
                $0.split(separator: " ").first.map(String.init) == name
            }
            #expect(line != nil, "\(name)")
            if let hash = entity["versionHash"] as? String { #expect(line?.hasSuffix(hash) == true) }
        }
    }
}

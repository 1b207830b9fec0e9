import CoreData
import Foundation
import TestSupport
import Testing

@Suite("schema of real stores and models", .enabled(if: Corpus.isUsable && SQLiteShell.isUsable))
struct SchemaCommandTests {
    @Test("every table and column named is in the file", arguments: Corpus.storesWithModel)
    func columns(_ path: String) throws {
        let folder = try TemporaryDirectory()
        let copy = try Corpus.copy(path, to: folder)
        let before = try fingerprint(of: copy.deletingLastPathComponent())
        let run = ToolRun("schema", "--json", copy.path)
        #expect(try fingerprint(of: copy.deletingLastPathComponent()) == before)
        #expect(run.code == 0)
        let raw = RawStore(url: try Corpus.copy(path, to: folder, as: "raw.sqlite"))
        let present = Set(
            try raw.lines(
                "SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'"
            ))
        let entities = try #require(try run.json()["entities"] as? [[String: Any]])
        #expect(
            entities.count == Int(try sqlite3(raw.url, "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")))
        for entity in entities {
            let table = try #require(entity["table"] as? String)
            for attribute in try #require(entity["attributes"] as? [[String: Any]]) {
                guard let column = attribute["column"] as? String else {
                    let notes = attribute["notes"] as? [String] ?? []
                    #expect(notes.contains("transient") || attribute["type"] as? String == "Composite")
                    continue
                }
                #expect(present.contains("\(table).\(column)"), "\(table).\(column)")
            }
            for relationship in try #require(entity["relationships"] as? [[String: Any]]) {
                guard let column = relationship["column"] as? String else {
                    #expect(relationship["isTransient"] as? Bool == true)
                    continue
                }
                #expect(present.contains("\(relationship["table"] as? String ?? table).\(column)"))
            }
        }
    }

    @Test("a store without a model says so")
    func noModel() {
        let url = Corpus.url("stores/fruitsamples+iPhoneCoreDataRecipes/Recipes.sqlite")
        let run = ToolRun("schema", url.path)
        #expect(run.code == 1)
        #expect(run.errors.contains("the store holds no model"))
    }

    @Test("one entity is listed on request, a wrong one is named with the nearest")
    func oneEntity() throws {
        let path = Corpus.url("stores/objcio+core-data/Moody.moody").path
        let json = try ToolRun("schema", "--json", "--entity", "Mood", path).json()
        #expect((json["entities"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Mood"])
        let run = ToolRun("schema", "--entity", "Moof", path)
        #expect(run.code == 1)
        #expect(run.errors.contains("there is no entity 'Moof'."))
        #expect(
            run.errors.contains("Did you mean 'Mood'? Its entities are: Continent, Country, GeographicRegion, Mood."))
    }

    @Test("a model's sources are listed, those in the form of Xcode 3 too")
    func sources() throws {
        let found = try FileManager.default.subpathsOfDirectory(atPath: Corpus.url("models").path)
        let sources = found.filter { $0.hasSuffix(".xcdatamodel") && !$0.contains("/.") }.sorted().prefix(12)
        #expect(sources.count == 12)
        for path in sources {
            let run = ToolRun("schema", "--json", Corpus.url("models/" + path).path)
            #expect(run.code == 0, "\(run.errors)")
            #expect(try run.json()["source"] as? String == "model")
            #expect((try run.json()["entities"] as? [Any])?.isEmpty == false, "\(path)")
        }
    }

    @Test("compiled models have the version hashes of their VersionInfo.plist")
    func compiled() throws {
        let root = Corpus.url("compiled").path
        let folders = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".momd") }
        var compared = 0
        for folder in folders.sorted() {
            guard let data = FileManager.default.contents(atPath: "\(root)/\(folder)/VersionInfo.plist"),
                let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
                let current = list["NSManagedObjectModel_CurrentVersionName"] as? String,
                let all = list["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]],
                let hashes = all[current],
                FileManager.default.fileExists(atPath: "\(root)/\(folder)/\(current).mom")
            else { continue }
            let run = ToolRun("schema", "--json", "\(root)/\(folder)")
            #expect(run.code == 0, "\(run.errors)")
            let entities = try #require(try run.json()["entities"] as? [[String: Any]])
            var ours: [String: String] = [:]
            for entity in entities { ours[entity["name"] as? String ?? ""] = entity["versionHash"] as? String }
            #expect(ours == hashes.mapValues { $0.base64EncodedString() }, "\(folder)")
            compared += 1
        }
        #expect(compared >= 3)
    }

    @Test("the listing shows types, destinations and delete rules")
    func listing() {
        let path = Corpus.url("stores/Karim-ezzedine+CartKit/CartStorage_v1.sqlite").path
        let output = ToolRun("schema", path).output
        let squeezed = output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in [
            "CDCart", "table ZCDCART, Z_ENT 1, class CDCart", "createdAt Date ZCREATEDAT required",
            "items →→ CDCartItem ZCDCARTITEM.ZCART inverse cart, cascade",
            "modifiers →→ CDCartItemModifier ZCDCARTITEMMODIFIER.Z2MODIFIERS no inverse, cascade",
            "quantity Integer 32 ZQUANTITY required, default 0",
        ] {
            #expect(squeezed.contains(line), "\(line)")
        }
    }
}

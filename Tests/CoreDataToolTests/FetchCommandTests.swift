import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// `coredata fetch`: rows as SQLite's own shell sees them.
@Suite(.enabled(if: SQLiteShell.isUsable), .timeLimit(.minutes(5)))
struct FetchCommandTests {
    let folder: TemporaryDirectory
    let url: URL

    init() throws {
        folder = try TemporaryDirectory()
        url = try BookShelf.store(in: folder)
    }

    private func fetch(_ words: String...) -> ToolRun { ToolRun(["fetch", url.path, "Book"] + words) }

    private func lines(_ words: String...) -> [String] {
        ToolRun(["fetch", url.path, "Book"] + words).output.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// The values of one column, a line each, without the title.
    private func column(_ key: String, _ words: String...) -> [String] {
        let run = ToolRun(["fetch", url.path, "Book", "--columns", key, "--format", "csv"] + words)
        return run.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast().map(
            String.init)
    }

    private func error(_ words: String...) throws -> (kind: String, message: String, advice: String) {
        let run = ToolRun(["fetch", url.path] + words + ["--json"])
        #expect(run.code != 0)
        let error = try #require(try run.json()["error"] as? [String: Any])
        return (
            error["kind"] as? String ?? "", error["message"] as? String ?? "", error["advice"] as? String ?? ""
        )
    }

    // MARK: Values

    @Test func eachValueInJSON() throws {
        let run = fetch("--format", "json", "--sort", "objectID", "--limit", "2")
        #expect(run.errors == "")
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
        let sea = rows[0]
        #expect(sea["objectID"] as? String == "Book/p1")
        #expect(sea["title"] as? String == "Sea")
        #expect(sea["price"] as? Double == 12.5)
        #expect(sea["pages"] as? Int == 320)
        #expect(sea["rating"] as? Double == 0.1)
        #expect(sea["weight"] as? Double == 0.25)
        #expect(sea["isOut"] as? Bool == true)
        #expect(sea["published"] as? String == "2001-01-01T00:00:00Z")
        #expect(sea["code"] as? String == "00112233-4455-6677-8899-AABBCCDDEEFF")
        #expect(sea["site"] as? String == "https://a.org/sea")
        #expect((sea["scan"] as? [String: Any])?["bytes"] as? Int == 3)
        #expect((sea["cover"] as? [String: Any])?["bytes"] as? Int == 2000)
        #expect(sea["size.height"] as? Double == 20.5)
        #expect(sea["author"] as? String == "Author/p1")
        #expect(sea["tags"] as? Int == 2)
        #expect(rows[1]["objectID"] as? String == "Novel/p2")
        #expect(rows[1]["published"] as? String == "2023-03-08T20:26:40.250Z")
        #expect(rows[1]["cover"] is NSNull)
        #expect(rows[1]["tags"] as? Int == 0)
        #expect(run.output.contains("\"isOut\": true"))
    }

    @Test func aSubentityShowsItsOwnPropertiesToo() {
        let run = ToolRun("fetch", url.path, "Novel", "--format", "csv", "--columns", "title,genre,objectID")
        #expect(run.output == "title,genre,objectID\nAir,crime,Novel/p2\n")
    }

    @Test func linesOfJSONAndOfValues() throws {
        #expect(
            lines("--format", "jsonl", "--columns", "title,pages", "--sort", "pages", "--sort", "title:desc") == [
                #"{"title": null, "pages": null}"#, #"{"title": "Zoë, \"the\" cat\n2", "pages": 90}"#,
                #"{"title": "Air", "pages": 90}"#, #"{"title": "Sea", "pages": 320}"#,
            ])
        #expect(
            fetch("--format", "csv", "--columns", "title,pages,scan", "--sort", "title:desc").output
                == "title,pages,scan\n\"Zoë, \"\"the\"\" cat\n2\",90,\nSea,320,3 bytes\nAir,90,\n,,\n")
        #expect(ToolRun("fetch", url.path, "Tag", "--where", "FALSEPREDICATE", "--json").output == "[]\n")
    }

    @Test func aTableIsAligned() {
        #expect(
            lines("--columns", "title,pages,isOut,author.name", "--sort", "title") == [
                "title              pages  isOut  author.name",
                "",
                "Air                   90  false  Ann",
                "Sea                  320  true   Ann",
                "Zoë, \"the\" cat\\n2     90         Bob",
            ])
    }

    @Test func widthIsWhatATerminalShows() throws {
        _ = try sqlite3(
            url, "UPDATE ZBOOK SET ZTITLE = '日本' WHERE Z_PK = 1; UPDATE ZBOOK SET ZTITLE = 'e\u{301}' WHERE Z_PK = 2")
        #expect(
            lines("--columns", "title,pages", "--where", "objectID IN {'Book/p1', 'Novel/p2'}") == [
                "title  pages", "日本     320", "e\u{301}         90",
            ])
    }

    @Test func longTextsAreCutInATableOnly() throws {
        _ = try sqlite3(url, "UPDATE ZBOOK SET ZTITLE = printf('%.*c', 5000, 'x') WHERE Z_PK = 1")
        let cell = lines("--columns", "title", "--where", "pages == 320")[1]
        #expect(cell == String(repeating: "x", count: 59) + "…")
        #expect(column("title", "--where", "pages == 320") == [String(repeating: "x", count: 5000)])
    }

    @Test func nothingOfAValueReachesTheTerminal() throws {
        _ = try sqlite3(
            url, "UPDATE ZBOOK SET ZTITLE = char(27) || '[31m' || char(7) || char(8238) || 'x' WHERE Z_PK = 1")
        for format in ["table", "json", "jsonl", "csv"] {
            let run = fetch("--format", format, "--columns", "title", "--where", "pages == 320")
            #expect(run.code == 0)
            #expect(!run.output.unicodeScalars.contains { $0.isUnprintable && $0 != "\n" }, "\(format)")
        }
    }

    @Test func numbersKeepTheirDigits() throws {
        _ = try sqlite3(
            url,
            """
            UPDATE ZBOOK SET ZPRICE = 9007199254740993, ZWEIGHT = 9e999, ZRATING = 0.1 WHERE Z_PK = 1;
            UPDATE ZBOOK SET ZPRICE = -1e30, ZWEIGHT = 5e-324, ZRATING = -9e999 WHERE Z_PK = 2;
            """)
        #expect(
            lines("--columns", "price,weight,rating", "--sort", "objectID", "--limit", "2", "--format", "jsonl") == [
                #"{"price": 9007199254740993, "weight": null, "rating": 0.1}"#,
                #"{"price": -1000000000000000000000000000000, "weight": 5e-324, "rating": null}"#,
            ])
        #expect(column("weight", "--sort", "objectID", "--limit", "2") == ["inf", "5e-324"])
    }

    @Test func datesOfAllAges() throws {
        // SQLite's own functions know the years 0 to 9999.
        for (seconds, shown) in [
            ("-63113904000.0", "0001-01-01T00:00:00Z"), ("-31622400.5", "1999-12-31T23:59:59.500Z"),
        ] {
            let text = try sqlite3(url, "SELECT strftime('%Y-%m-%dT%H:%M:', \(seconds) + 978307200, 'unixepoch')")
            #expect(shown.hasPrefix(text))
            _ = try sqlite3(url, "UPDATE ZBOOK SET ZPUBLISHED = \(seconds) WHERE Z_PK = 1")
            #expect(column("published", "--where", "pages == 320") == [shown])
            #expect(column("pages", "--where", "published == '\(shown)'") == ["320"])
        }
        _ = try sqlite3(url, "UPDATE ZBOOK SET ZPUBLISHED = 1e300 WHERE Z_PK = 1")
        #expect(column("published", "--where", "pages == 320") == ["1e+300"])
        #expect(column("published", "--sort", "published:desc", "--limit", "1") == ["1e+300"])
        #expect(
            column("pages", "--where", "published > CAST('2020-01-01', 'NSDate')", "--sort", "pages") == ["90", "320"])
    }

    // MARK: Which rows

    @Test func predicates() {
        #expect(column("title", "--where", "pages > 100") == ["Sea"])
        #expect(column("title", "--where", "author.name == 'Ann' AND isOut == NO") == ["Air"])
        #expect(column("title", "--where", "ANY tags.text == 'blue'") == ["Sea"])
        #expect(column("title", "--where", "tags.@count == 0 AND title != nil") == ["Air"])
        #expect(column("title", "--where", "code == '00112233-4455-6677-8899-aabbccddeeff'") == ["Sea"])
        #expect(column("objectID", "--where", "title == nil") == ["Book/p4"])
    }

    @Test func datesAreWrittenAsText() {
        #expect(column("title", "--where", "published > '2020-01-01'") == ["Air"])
        #expect(column("title", "--where", "'2001-01-01T00:00:00Z' == published") == ["Sea"])
        #expect(column("title", "--where", "published BETWEEN {'2000-12-31', '2001-01-02T00:00:00+01:00'}") == ["Sea"])
    }

    @Test func recordsAreWrittenAsText() throws {
        #expect(column("title", "--where", "author == 'Author/p1'", "--sort", "title") == ["Air", "Sea"])
        #expect(column("title", "--where", "author == 'p2'").count == 2)
        #expect(column("title", "--where", "SELF == 'Novel/p2'") == ["Air"])
        let identifier = try sqlite3(url, "SELECT Z_UUID FROM Z_METADATA")
        #expect(column("title", "--where", "SELF == 'x-coredata://\(identifier)/Book/p1'") == ["Sea"])
    }

    @Test func limitOffsetAndCount() {
        #expect(column("title", "--sort", "title", "--limit", "2", "--offset", "1") == ["Air", "Sea"])
        #expect(fetch("--count").output == "4\n")
        #expect(fetch("--count", "--where", "pages == 90").output == "2\n")
        #expect(fetch("--count", "--format", "json").output == "{\"count\": 4}\n")
        #expect(ToolRun("fetch", url.path, "Novel", "--count").output == "1\n")
    }

    @Test func aLimitOfNothingShowsNothing() {
        #expect(column("title", "--limit", "0") == [])
        #expect(fetch("--limit", "0", "--json").output == "[]\n")
        #expect(fetch("--limit", "0", "--count").output == "0\n")
        #expect(fetch("--offset", "4", "--count").output == "0\n")
        #expect(fetch("--offset", "9223372036854775807", "--format", "jsonl").output == "")
    }

    @Test func sortingByTheNumberOfOthers() throws {
        let raw = try sqlite3(
            url,
            """
            SELECT b.Z_PK FROM ZBOOK b LEFT JOIN Z_2TAGS t ON t.Z_2BOOKS = b.Z_PK
            GROUP BY b.Z_PK ORDER BY count(t.Z_2BOOKS) DESC, b.Z_PK
            """)
        let keys = column("objectID", "--sort", "tags:desc").map { $0.split(separator: "p").last.map(String.init) }
        #expect(keys == raw.split(separator: "\n").map(String.init))
    }

    @Test func sortingByPathsAndBothWays() {
        #expect(column("title", "--sort", "author.name:desc", "--sort", "pages:asc", "--limit", "4").last == "")
        #expect(column("pages", "--sort", "pages") == ["", "90", "90", "320"])
        #expect(column("objectID", "--sort", "pages", "--limit", "3") == ["Book/p4", "Novel/p2", "Book/p3"])
    }

    // MARK: Groups

    @Test func groups() throws {
        let run = fetch(
            "--group-by", "author.name", "--aggregate", "count()", "--aggregate", "sum(pages)", "--sort",
            "count():desc",
            "--sort", "author.name", "--format", "csv")
        #expect(run.output == "author.name,count(),sum(pages)\nAnn,2,410\n,1,0\nBob,1,90\n")
        let raw = try sqlite3(
            url,
            "SELECT a.ZNAME, COUNT(*), SUM(ZPAGES) FROM ZBOOK b LEFT JOIN ZAUTHOR a ON a.Z_PK = b.ZAUTHOR GROUP BY 1 ORDER BY 1"
        )
        #expect(raw == "|1|\nAnn|2|410\nBob|1|90")
    }

    @Test func aggregatesOverAll() {
        let run = fetch(
            "--aggregate", "max(published)", "--aggregate", "avg(pages)", "--aggregate", "count(author)", "--aggregate",
            "max(isOut)", "--aggregate", "sum(price)", "--format", "jsonl")
        #expect(
            run.output
                == #"{"max(published)": "2023-03-08T20:26:40.250Z", "avg(pages)": 166.66666666666666, "count(author)": 3, "max(isOut)": true, "sum(price)": 21.5}"#
                + "\n")
    }

    @Test func groupsOfRecords() {
        let run = fetch("--group-by", "author", "--aggregate", "min(title)", "--sort", "author", "--format", "csv")
        #expect(run.output == "author,min(title)\n,\nAuthor/p1,Air\nAuthor/p2,\"Zoë, \"\"the\"\" cat\n2\"\n")
    }

    @Test func groupsAreSortedByWhatIsShown() {
        func groups(_ words: String...) -> ToolRun {
            ToolRun(["fetch", url.path, "Book", "--group-by", "author", "--format", "csv"] + words)
        }
        #expect(
            groups("--aggregate", "AVG( pages )", "--sort", "average(pages):desc").output
                == "author,AVG( pages )\nAuthor/p1,205.0\nAuthor/p2,90.0\n,\n")
        #expect(
            groups("--aggregate", "count(*)", "--sort", "count()", "--limit", "1").output == "author,count(*)\n,1\n")
        let refused = groups("--aggregate", "count()", "--sort", "title")
        #expect(refused.code == 2)
        #expect(
            refused.errors.contains("groups are sorted by what is shown of them (author, count()), not by 'title'."))
        #expect(groups("--aggregate", "count()", "--sort", "cuont()").errors.contains("Did you mean 'count()'?"))
    }

    @Test func aggregatesOverNothing() {
        let words = [
            "--where", "FALSEPREDICATE", "--aggregate", "sum(pages)", "--aggregate", "max(title)", "--format", "csv",
        ]
        #expect(ToolRun(["fetch", url.path, "Book"] + words).output == "sum(pages),max(title)\n0,\n")
        #expect(
            ToolRun(["fetch", url.path, "Book", "--group-by", "author"] + words).output
                == "author,sum(pages),max(title)\n")
    }

    // MARK: Mistakes

    @Test func aColumnHasOneValue() throws {
        let path = ToolRun("fetch", url.path, "Author", "--columns", "books.title")
        #expect(path.errors.contains("'books' leads to many records, so 'books.title' is not one value."))
        for words in [
            ["--group-by", "tags"], ["--group-by", "author.books"], ["--group-by", "tags.@count"],
            ["--aggregate", "count(tags)"], ["--aggregate", "sum(author.books)"], ["--aggregate", "max(tags.text)"],
            ["--sort", "tags.text"], ["--columns", "author.books.title"],
        ] {
            let run = ToolRun(["fetch", url.path, "Book", "--json"] + words)
            let told = try #require(try run.json()["error"] as? [String: Any])
            #expect(told["kind"] as? String == "request", "\(words)")
        }
        #expect(column("author.books.@count", "--where", "pages == 320") == ["2"])
        #expect(fetch("--aggregate", "sum(tags.@count)", "--format", "csv").output == "sum(tags.@count)\n3\n")
    }

    @Test func aColumnIsAskedForOnce() {
        for words in [
            ["--columns", "title,pages,title"], ["--columns", "size", "--columns", "size.height"],
            ["--group-by", "title", "--group-by", "title"], ["--aggregate", "count()", "--aggregate", "count()"],
        ] {
            let run = ToolRun(["fetch", url.path, "Book"] + words)
            #expect(run.code == 2)
            #expect(run.errors.contains("is asked for twice."), "\(words)")
        }
    }

    @Test func aMistypedFunction() throws {
        let told = try error("Book", "--where", "upercase:(title) == 'SEA'")
        #expect(told.kind == "predicate")
        #expect(told.message == "--where: there is no function 'upercase:'.")
        #expect(told.advice == "Did you mean 'uppercase:'?")
        #expect(try error("Book", "--where", "1 + nwo() > 3").advice == "Did you mean 'now'?")
    }

    @Test func formatsThatContradictAreRefused() throws {
        #expect(ToolRun(["fetch", url.path, "Book", "--json", "--format", "csv"]).code == 2)
        #expect(ToolRun(["fetch", url.path, "Book", "--json", "--format", "json"]).code == 0)
        #expect(ToolRun(["fetch", url.path, "Book", "--columns", "title,,pages"]).code == 2)
    }

    /// Foundation stops the program at such a path.
    @Test(arguments: ["é", "\u{FFFD}", "é/é", "/é"]) func aFileOfOneLetterThatIsNotThere(_ path: String) throws {
        let run = ToolRun(["fetch", path, "Book"])
        #expect(run.code == 1)
        #expect(run.errors.contains("there is no such file"))
        #expect(
            path.parentPath + (path.utf8.first == 0x2F || path.parentPath.isEmpty ? "" : "/") + path.fileName == path)
    }

    @Test func aMistypedOperator() throws {
        func advice(_ format: String) throws -> String? {
            try error("Book", "--where", format).advice.split(separator: "\n").last.map(String.init)
        }
        #expect(try advice("title BEGINWITH 'S'") == "Did you mean 'BEGINSWITH'?")
        #expect(try advice("pages == 1 ADN title == 'S'") == "Did you mean 'AND'?")
        #expect(try advice("title contians 'S'") == "Did you mean 'CONTAINS'?")
        #expect(try advice("title smells 'S'")?.hasSuffix("^") == true)
        #expect(try advice("title LIKE AND")?.hasSuffix("^") == true)
    }

    @Test(arguments: [
        ("pages > > 3", "pages > > 3", 8), ("日本 == 1 AND = 3", "日本 == 1 AND = 3", 14),
        ("pages ==\n\t= 3", "pages ==\\n\\t= 3", 12), ("pages == \u{1B}[31m", "pages == \\u{1B}[31m", 9),
        ("", "", 0),
    ])
    func theMarkStandsUnderTheFault(_ format: String, _ shown: String, _ columns: Int) {
        let run = fetch("--where", format)
        #expect(run.code == 1)
        let mark = String(repeating: " ", count: columns + 6) + "^\n"
        #expect(run.errors.hasSuffix("\n      \(shown)\n" + mark), "\(run.errors)")
    }

    @Test func anErrorOfTheFileNamesIt() throws {
        _ = try sqlite3(url, "ALTER TABLE ZBOOK RENAME COLUMN ZTITLE TO ZNAME")
        #expect(fetch().errors.contains("\(url.path): Table ZBOOK has no column ZTITLE."))
        let bytes = try Data(contentsOf: url)
        try bytes.prefix(bytes.count / 2).write(to: url)
        #expect(fetch().errors.contains("\(url.path): the database is damaged"))
    }

    @Test func aMistypedEntity() throws {
        let told = try error("Bok")
        #expect(told.kind == "unknown-entity")
        #expect(told.advice.hasPrefix("Did you mean 'Book'? Its entities are: Author, Book, Novel, Tag."))
    }

    @Test func aMistypedKey() throws {
        for words in [
            ["--columns", "titel"], ["--sort", "titel"], ["--where", "titel == 'x'"], ["--group-by", "titel"],
            ["--aggregate", "max(titel)"], ["--where", "NOT (pages == 1 OR length:(titel) > 1)"],
            ["--where", "1 == 1 AND TERNARY(titel == 'x', 1, 2) == 1"],
        ] {
            let run = ToolRun(["fetch", url.path, "Book", "--json"] + words)
            let told = try #require(try run.json()["error"] as? [String: Any])
            #expect(told["kind"] as? String == "unknown-key", "\(words)")
            #expect(told["message"] as? String == "entity 'Book' has no property 'titel'.")
            #expect(
                (told["advice"] as? String)?.hasPrefix("Did you mean 'title'? Its properties are: author, code") == true
            )
        }
        #expect(try error("Book", "--columns", "author.nam").message == "entity 'Author' has no property 'nam'.")
        #expect(
            try error("Book", "--columns", "size.heigth").message == "the composite 'size' has no property 'heigth'.")
        #expect(try error("Book", "--columns", "size.heigth").advice.hasPrefix("Did you mean 'height'?"))
        #expect(try error("Book", "--where", "ANY tags.txt == 'x'").advice.hasPrefix("Did you mean 'text'?"))
        #expect(
            try error("Book", "--where", "SUBQUERY(tags, $t, $t.txt == 'x').@count > 0").advice
                .hasPrefix("Did you mean 'text'?"))
        #expect(try error("Book", "--columns", "title.length").kind == "unknown-key")
    }

    @Test func aPredicateThatCannotBeParsedShowsTheFault() throws {
        let run = fetch("--where", "pages > > 3")
        #expect(run.code == 1)
        #expect(run.errors.contains("--where: expected"))
        let told = try error("Book", "--where", "pages > > 3")
        #expect(told.kind == "predicate")
        #expect(told.advice.contains("^"))
    }

    @Test(arguments: [
        "published > 'tomorrow'", "author == 'somebody'", "FETCH(1, 2, NO) == 1", "title == %@", "$x == 1",
        "pages == title", "tags == 1", "FUNCTION(title, 'length') == 1", "price == price + title", "{} == {}", "",
        "cover > 1", "ALL tags.text IN title", "self.@sum.pages == 1", "pages[0] == 1",
        "SUBQUERY(title, $t, TRUEPREDICATE).@count > 1",
    ])
    func noPredicateStopsTheProgram(_ format: String) {
        let run = fetch("--where", format)
        #expect(run.code == 0 || run.code == 1, "\(format)")
        #expect(run.code == 0 || run.errors.hasPrefix("coredata: error:"), "\(format)")
    }

    @Test func deepPredicatesAreAnError() {
        let deep = String(repeating: "(", count: 5000) + "pages == 1" + String(repeating: ")", count: 5000)
        #expect(fetch("--where", deep).code == 1)
        let long = (0..<3000).map { "pages == \($0)" }.joined(separator: " OR ")
        #expect(fetch("--where", long, "--count").output == "3\n")
    }

    @Test func wrongOptions() {
        for words in [
            ["--limit", "x"], ["--limit=-1"], ["--sort", "pages:up"], ["--format", "xml"], ["--aggregate", "sum"],
            ["--aggregate", "sum()"], ["--aggregate", "total(pages)"], ["--count", "--columns", "title"],
            ["--columns", "title", "--group-by", "title"], ["--columns", ""], ["one", "more"],
        ] {
            let run = ToolRun(["fetch", url.path, "Book"] + words)
            #expect(run.code == 2, "\(words): \(run.errors)")
        }
        #expect(ToolRun("fetch", url.path).errors.contains("ENTITY is missing."))
        #expect(ToolRun("fetch").errors.contains("STORE is missing."))
        #expect(fetch("--format", "jsno").errors.contains("Did you mean 'json'?"))
        #expect(fetch("--aggregate", "mx(pages)").errors.contains("Did you mean 'max'?"))
    }

    // MARK: The store

    @Test func lookingChangesNothing() throws {
        let before = try fingerprint(of: folder.url)
        _ = fetch()
        _ = fetch("--count")
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func aStoreInUseIsReadWithItsLog() throws {
        let writer = try ShellSession(url.path)
        try writer.run("PRAGMA wal_autocheckpoint = 0; UPDATE ZBOOK SET ZTITLE = 'New' WHERE Z_PK = 1")
        let names = try folder.contents
        #expect(column("title", "--where", "pages == 320") == ["New"])
        #expect(try folder.contents == names)
        writer.end()
    }

    @Test func aLogOfSomebodyWhoIsGoneIsReadFromACopy() throws {
        let writer = try ShellSession(url.path)
        try writer.run("PRAGMA wal_autocheckpoint = 0; UPDATE ZBOOK SET ZTITLE = 'New' WHERE Z_PK = 1")
        try FileGroup.copy(from: url, to: folder.url("left.sqlite"))
        writer.end()
        let before = try fingerprint(of: folder.url)
        let run = ToolRun("fetch", folder.path("left.sqlite"), "Book", "--where", "title == 'New'", "--count")
        #expect(run.output == "1\n")
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func withoutACachedModelOneMustBeNamed() throws {
        _ = try sqlite3(url, "DROP TABLE Z_MODELCACHE")
        let told = try error("Book")
        #expect(told.kind == "no-model")
        #expect(told.advice.contains("--model"))
    }

    @Test func theModelMayBeNamed() throws {
        let store = try SmallModel.store(in: folder)
        _ = try sqlite3(store, "DROP TABLE Z_MODELCACHE")
        let model = try SmallModel.sourceModel(in: folder)
        let run = ToolRun("fetch", store.path, "Note", "--model", model.path, "--format", "csv", "--sort", "text")
        #expect(
            run.output == "objectID,attachment,text,folder\n"
                + (1...3).map { "Note/p\($0),,note \($0 - 1),Folder/p1\n" }.joined())
        let other = ToolRun("fetch", url.path, "Book", "--model", model.path)
        #expect(other.code == 1)
        #expect(
            other.errors.contains(
                "Entities that differ: only in the model: Folder, Note; only in the store: Author, Book"))
    }

    @Test func anExternalFileIsMeasured() throws {
        let external = ExternalStorage(storePath: url.path).folderPath
        try FileManager.default.createDirectory(atPath: external, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data(count: 150_000).write(to: URL(fileURLWithPath: external + "/" + name))
        _ = try sqlite3(url, "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = 1")
        #expect(column("cover", "--where", "pages == 320") == ["150000 bytes"])
        #expect(lines("--columns", "cover", "--where", "pages == 320")[1].hasSuffix("150.0 kB"))
    }
}

import CoreDataSQLite
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SQLiteShell.isUsable)) struct SQLiteReplaceTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("a.sqlite")
    }

    struct Layout: CustomTestStringConvertible {
        var journal = "wal"
        var pageSize = 4096
        var autoVacuum = 2
        var rows = 5000

        var testDescription: String { "\(journal), page \(pageSize), auto-vacuum \(autoVacuum)" }

        static let all = ["wal", "delete"].flatMap { journal in
            [2048, 4096, 16384].flatMap { size in
                [0, 1, 2].map { Layout(journal: journal, pageSize: size, autoVacuum: $0) }
            }
        }
    }

    /// A database made by the shell: some thousand rows, over many pages.
    private func makeFile(_ layout: Layout = Layout(), at path: String? = nil) throws {
        _ = try sqlite3(
            path ?? self.path,
            """
            PRAGMA page_size=\(layout.pageSize); PRAGMA auto_vacuum=\(layout.autoVacuum);
            PRAGMA journal_mode=\(layout.journal);
            CREATE TABLE person(pk INTEGER PRIMARY KEY, name); CREATE TABLE other(x); CREATE INDEX i ON person(name);
            WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(layout.rows))
                INSERT INTO person SELECT i, 'SECRET ' || i FROM c;
            """)
    }

    private func makeTemplate(_ name: String = "new", pageSize: Int = 4096, autoVacuum: Int = 2) throws
        -> SQLiteConnection
    {
        let template = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        try template.execute(
            """
            PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=\(autoVacuum);
            CREATE TABLE meta(uuid); INSERT INTO meta VALUES('\(name)'); CREATE TABLE person(pk INTEGER PRIMARY KEY, name, age);
            """)
        return template
    }

    private func integrity(_ path: String) throws -> String {
        try sqlite3(path, "PRAGMA integrity_check")
    }

    // MARK: What is there afterwards

    @Test(arguments: Layout.all) func theContentsAreReplacedAndTheLayoutStays(layout: Layout) throws {
        try makeFile(layout)
        let outcome = try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 5)
        // The first cookie of the generation after the file's first one.
        #expect(outcome.schemaVersion == 0x1_0000)
        #expect(outcome.isCheckpointed)
        #expect(
            try sqlite3(path, "SELECT uuid FROM meta; SELECT count(*) FROM person; PRAGMA schema_version")
                == "new\n0\n65536")
        let layoutNow = try sqlite3(path, "PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA journal_mode")
        #expect(layoutNow == "\(layout.pageSize)\n\(layout.autoVacuum)\n\(layout.journal)")
        #expect(try integrity(path) == "ok")
        #expect(try folder.contents == ["a.sqlite"])
        let bytes = try Data(contentsOf: folder.url("a.sqlite"))
        #expect(bytes.count <= 8 * layout.pageSize)
        #expect(bytes.range(of: Data("SECRET".utf8)) == nil)
    }

    @Test func theFileStaysTheSameFile() throws {
        try makeFile()
        func inode() throws -> Int? {
            (try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber)?.intValue
        }
        let before = try inode()
        try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 5)
        #expect(try inode() == before)
    }

    @Test func aMissingOrEmptyFileTakesTheTemplatesLayout() throws {
        let template = try makeTemplate(pageSize: 8192, autoVacuum: 2)
        #expect(
            sqliteError { try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 1) }?.code
                == SQLITE_CANTOPEN)
        try SQLiteReplace.replaceContents(ofFileAt: path, isCreating: true, with: template, timeout: 1)
        #expect(try sqlite3(path, "PRAGMA page_size; PRAGMA auto_vacuum; SELECT uuid FROM meta") == "8192\n2\nnew")

        let empty = folder.path("empty")
        try Data().write(to: folder.url("empty"))
        let connection = try SQLiteConnection(path: empty)
        try SQLiteReplace.replaceContents(of: connection, with: template, timeout: 1)
        // The connection that did it goes on in the new layout.
        try connection.execute(
            """
            WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000)
                INSERT INTO person SELECT i, 'name ' || i, 1 FROM c;
            DELETE FROM person WHERE pk > 10; PRAGMA incremental_vacuum;
            """)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        #expect(
            try sqlite3(empty, "PRAGMA auto_vacuum; PRAGMA freelist_count; SELECT count(*) FROM person") == "2\n0\n10")
    }

    @Test func anInMemoryDatabaseIsReplacedToo() throws {
        let memory = try SQLiteConnection(path: SQLiteConnection.memoryPath)
        try memory.execute("PRAGMA page_size=2048; CREATE TABLE person(a); INSERT INTO person VALUES(1)")
        let before = try memory.readSchemaVersion()
        try SQLiteReplace.replaceContents(of: memory, with: makeTemplate(), timeout: 1)
        #expect(try memory.readSchemaVersion() > before)
        #expect(try memory.text("SELECT uuid FROM meta") == "new")
        #expect(try memory.pragma("page_size") == 2048)
    }

    @Test(arguments: ["wal", "delete"]) func aFileInEitherJournalModeCanBeTheTemplate(journal: String) throws {
        try makeFile(Layout(journal: journal))
        for source in ["wal", "delete"] {
            let sourcePath = folder.path("source-\(source)")
            try makeFile(Layout(journal: source, rows: 300), at: sourcePath)
            let template = try SQLiteConnection(path: sourcePath, access: .readOnly)
            // Some of it only in the log.
            let writer = try SQLiteConnection(path: sourcePath)
            try writer.execute("INSERT INTO other VALUES('\(source)')")
            try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 5)
            #expect(try sqlite3(path, "SELECT count(*), (SELECT x FROM other) FROM person") == "300|\(source)")
            #expect(try sqlite3(path, "PRAGMA journal_mode") == journal)
            #expect(try sqlite3(sourcePath, "PRAGMA journal_mode; SELECT count(*) FROM person") == "\(source)\n300")
            #expect(try integrity(path) == "ok")
        }
    }

    @Test func spaceReservedOnEveryPageDoesNotMatter() throws {
        try makeFile()
        let connection = try SQLiteConnection(path: path)
        var reserved: Int32 = 32
        #expect(sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved) == SQLITE_OK)
        try connection.setPragma("journal_mode", to: "delete")
        try connection.execute("VACUUM")
        try connection.setPragma("journal_mode", to: "wal")
        #expect(try Data(contentsOf: folder.url("a.sqlite"))[20] == 32)
        let other = try SQLiteConnection(path: path)
        #expect(try other.int64("SELECT count(*) FROM person") == 5000)
        try SQLiteReplace.replaceContents(of: connection, with: makeTemplate(), timeout: 5)
        let fill = """
            WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)
                INSERT INTO person(name) SELECT 'name ' || i FROM c
            """
        try other.execute(fill)
        try connection.execute(fill)
        #expect(try integrity(path) == "ok")
        #expect(try sqlite3(path, "SELECT count(*) FROM person") == "6000")
    }

    // MARK: The schema cookie

    @Test(arguments: ["wal", "delete"]) func theCookieMovesForwardEveryTime(journal: String) throws {
        try makeFile(Layout(journal: journal, rows: 10))
        let connection = try SQLiteConnection(path: path)
        var seen = [try connection.readSchemaVersion()]
        for round in 1...10 {
            // Templates with cookies below and above that of the file.
            let template = try makeTemplate("\(round)")
            for number in 0..<(round * 7 % 20) { try template.execute("CREATE TABLE extra\(number)(a)") }
            if round % 3 == 0 { try template.setPragma("schema_version", to: "\(seen[seen.count - 1])") }
            let outcome = try SQLiteReplace.replaceContents(of: connection, with: template, timeout: 5)
            #expect(outcome.schemaVersion > seen[seen.count - 1])
            #expect(
                try sqlite3(path, "PRAGMA schema_version; SELECT uuid FROM meta")
                    == "\(outcome.schemaVersion)\n\(round)")
            seen.append(outcome.schemaVersion)
            if round % 2 == 0 {
                try connection.execute("CREATE TABLE later(a)")
                seen.append(try connection.readSchemaVersion())
            }
        }
        #expect(seen == seen.sorted() && Set(seen).count == seen.count)
    }

    @Test(arguments: ["wal", "delete"]) func replacementsBeginAGenerationAndChangesOfTheSchemaDoNot(journal: String)
        throws
    {
        try makeFile(Layout(journal: journal, rows: 10))
        func generation() throws -> UInt16 {
            SQLiteReplace.generation(of: Int32(try sqlite3(path, "PRAGMA schema_version")) ?? -1)
        }
        #expect(try generation() == 0)
        for round: UInt16 in 1...3 {
            // An earlier state of the same database too.
            let backup = folder.path("backup\(round)")
            _ = try sqlite3(path, "VACUUM INTO '\(backup)'")
            let template = try SQLiteConnection(path: backup, access: .readOnly)
            try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 5)
            #expect(try generation() == round)
            _ = try sqlite3(path, "VACUUM; CREATE TABLE later\(round)(a); ANALYZE; VACUUM")
            #expect(try generation() == round)
        }
        #expect(SQLiteReplace.generation(of: -1) == 0xFFFF)
    }

    @Test func aReplacementThatFailsKeepsItsGeneration() throws {
        try makeFile()
        let other = try ShellSession(path)
        try other.run("BEGIN IMMEDIATE;")
        let template = try makeTemplate()
        #expect(
            sqliteError { try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 0.1) }?.code == 5)
        try other.run("COMMIT;")
        #expect(SQLiteReplace.generation(of: Int32(try sqlite3(path, "PRAGMA schema_version")) ?? -1) == 0)
        try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 5)
        #expect(SQLiteReplace.generation(of: Int32(try sqlite3(path, "PRAGMA schema_version")) ?? -1) == 1)
    }

    // MARK: Others who have the file open

    @Test(arguments: ["wal", "delete"]) func statementsOfOthersAreMadeAnew(journal: String) throws {
        try makeFile(Layout(journal: journal))
        let other = try SQLiteConnection(path: path)
        let select = try other.prepare("SELECT * FROM person")
        let insert = try other.prepare("INSERT INTO person(pk, name) VALUES(?, 'later')")
        try select.forEachRow { _ in }
        #expect(select.columnCount == 2)
        let shell = try ShellSession(path)
        #expect(try shell.run("SELECT count(*) FROM person;") == "5000")

        // Twice, with the tables in another order each time: their root pages change places.
        for round in 1...2 {
            let template = try SQLiteConnection(path: SQLiteConnection.memoryPath)
            let tables = [
                "CREATE TABLE person(pk INTEGER PRIMARY KEY, name, age)", "CREATE TABLE other(x)",
                "CREATE TABLE meta(y)",
            ]
            try template.execute(
                "PRAGMA auto_vacuum=2;" + (round == 1 ? tables : tables.reversed()).joined(separator: ";"))
            try SQLiteReplace.replaceContents(ofFileAt: path, with: template, timeout: 5)

            #expect(try !select.step())
            #expect(select.columnCount == 3)
            select.reset()
            try insert.bind(Int64(round), at: 1)
            try insert.run()
            #expect(
                try shell.run(
                    "INSERT INTO person(pk, name, age) VALUES(99, 'shell', 1); SELECT group_concat(pk) FROM person;")
                    == "\(round),99")
            #expect(
                try sqlite3(
                    path,
                    "SELECT (SELECT count(*) FROM person), (SELECT count(*) FROM other), (SELECT count(*) FROM meta)")
                    == "2|0|0")
            #expect(try integrity(path) == "ok")
        }
        shell.end()
    }

    @Test func aReaderOnAnOldSnapshotKeepsItAndHindersNothing() throws {
        try makeFile()
        let reader = try SQLiteConnection(path: path, access: .readOnly)
        let shell = try ShellSession(path)
        #expect(try shell.run("BEGIN; SELECT count(*) FROM person;") == "5000")
        let statement = try reader.prepare("SELECT pk, name FROM person ORDER BY pk")
        try reader.read {
            #expect(try statement.step())
            let start = Date()
            let outcome = try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 5)
            #expect(!outcome.isCheckpointed)
            #expect(Date().timeIntervalSince(start) < 4)
            #expect(try sqlite3(path, "SELECT uuid FROM meta") == "new")
            var count = 1
            while try statement.step() {
                count += 1
                if statement.text(1) != "SECRET \(count)" { Issue.record("row \(count) is not the old one") }
            }
            #expect(count == 5000)
            #expect(try reader.int64("SELECT count(*) FROM person WHERE name LIKE 'SECRET%'") == 5000)
        }
        #expect(try shell.run("SELECT count(*) FROM person; COMMIT; SELECT count(*) FROM person;") == "5000\n0")
        shell.end()
        #expect(try reader.int64("SELECT count(*) FROM person") == 0)
        // Nothing of the old rows is left once the log could be emptied.
        #expect(try sqlite3(path, "PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
        #expect(try Data(contentsOf: folder.url("a.sqlite")).range(of: Data("SECRET".utf8)) == nil)
    }

    @Test func aReaderOfARollbackJournalFileMakesItWaitAndThenFail() throws {
        try makeFile(Layout(journal: "delete"))
        let shell = try ShellSession(path)
        #expect(try shell.run("BEGIN; SELECT count(*) FROM person;") == "5000")
        let before = FileGroup.contents(of: folder.url("a.sqlite"))
        let connection = try SQLiteConnection(path: path, busyTimeout: 3)
        let error = try #require(
            sqliteError { try SQLiteReplace.replaceContents(of: connection, with: makeTemplate(), timeout: 0.3) })
        #expect(error.code == SQLITE_BUSY)
        #expect(connection.busyTimeout == 3)
        #expect(FileGroup.contents(of: folder.url("a.sqlite")) == before)
        #expect(try connection.int64("SELECT count(*) FROM person") == 5000)
        try shell.run("COMMIT;")
        #expect(try integrity(path) == "ok")
        try SQLiteReplace.replaceContents(of: connection, with: makeTemplate(), timeout: 0.3)
        #expect(try shell.run("SELECT count(*) FROM person;") == "0")
        shell.end()
    }

    @Test(arguments: ["wal", "delete"]) func aWriterMakesItWaitAndThenFail(journal: String) throws {
        try makeFile(Layout(journal: journal))
        let shell = try ShellSession(path)
        try shell.run("BEGIN IMMEDIATE; DELETE FROM person WHERE pk = 1;")
        let start = Date()
        let error = try #require(
            sqliteError { try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 0.3) })
        #expect(error.code == SQLITE_BUSY)
        #expect((0.2...5).contains(Date().timeIntervalSince(start)))
        try shell.run("COMMIT;")
        #expect(try shell.run("SELECT count(*) FROM person;") == "4999")
        #expect(try integrity(path) == "ok")
        shell.end()
    }

    @Test(arguments: ["wal", "delete"]) func itGoesOnWhenTheWriterIsDoneInTime(journal: String) throws {
        try makeFile(Layout(journal: journal))
        let shell = try ShellSession(path)
        try shell.run("BEGIN IMMEDIATE; DELETE FROM person WHERE pk = 1;")
        let ender = Thread {
            usleep(300_000)
            _ = try? shell.run("COMMIT;")
        }
        ender.start()
        try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 20)
        #expect(try sqlite3(path, "SELECT uuid FROM meta") == "new")
        #expect(try integrity(path) == "ok")
        while !ender.isFinished { usleep(1000) }
        shell.end()
    }

    @Test func aPoolGoesOnAfterwards() throws {
        try makeFile()
        let pool = try SQLitePool(path: path)
        #expect(try pool.read { try $0.int64("SELECT count(*) FROM person") } == 5000)
        try pool.withWriter { _ = try SQLiteReplace.replaceContents(of: $0, with: makeTemplate(), timeout: 5) }
        let before = try pool.read { reader in
            let count = try reader.int64("SELECT count(*) FROM person")
            #expect(count == 0)
            return reader.schemaVersion
        }
        try pool.write { writer in
            #expect(writer.schemaVersion == before)
            try writer.execute("INSERT INTO person VALUES(1, 'a', 2)")
        }
        #expect(try pool.read { try $0.int64("SELECT age FROM person") } == 2)
        try pool.close()
        #expect(openDescriptors(under: folder.path).isEmpty)
    }

    // MARK: What cannot be replaced

    @Test func damagedFilesAreRefusedUntouched() throws {
        let text = Data(repeating: UInt8(ascii: "x"), count: 20_000)
        try text.write(to: folder.url("a.sqlite"))
        let error = try #require(
            sqliteError { try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 1) })
        #expect(error.code == SQLITE_NOTADB)
        #expect(error.isDamage)
        #expect(try Data(contentsOf: folder.url("a.sqlite")) == text)
        #expect(try folder.contents == ["a.sqlite"])
    }

    @Test func aReadOnlyConnectionIsRefused() throws {
        try makeFile()
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        let error = sqliteError { try SQLiteReplace.replaceContents(of: connection, with: makeTemplate(), timeout: 1) }
        #expect(error?.code == SQLITE_READONLY)
    }

    @Test func anOpenTransactionIsRefused() throws {
        try makeFile()
        let connection = try SQLiteConnection(path: path)
        try connection.read {
            let error = sqliteError {
                try SQLiteReplace.replaceContents(of: connection, with: makeTemplate(), timeout: 1)
            }
            #expect(error?.code == SQLITE_MISUSE)
        }
        let template = try makeTemplate()
        try template.read {
            let error = sqliteError { try SQLiteReplace.replaceContents(of: connection, with: template, timeout: 1) }
            #expect(error?.code == SQLITE_MISUSE)
        }
    }

    @Test func anotherTextEncodingIsRefused() throws {
        _ = try sqlite3(path, "PRAGMA encoding='UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES('x')")
        let error = sqliteError { try SQLiteReplace.replaceContents(ofFileAt: path, with: makeTemplate(), timeout: 1) }
        #expect(error?.code == SQLITE_MISMATCH)
        #expect(try sqlite3(path, "SELECT a FROM t") == "x")
    }
}

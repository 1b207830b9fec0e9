import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// The built binary as a person and a script meet it: `coredata` beside the tests, or the one that `COREDATA_TOOL` names.
@Suite(.enabled(if: SQLiteShell.isUsable), .timeLimit(.minutes(5)))
struct EndToEndTests {
    let folder: TemporaryDirectory
    let tool: String

    init() throws {
        folder = try TemporaryDirectory()
        tool = try Self.toolPath()
    }

    static func toolPath() throws -> String {
        if let path = ProcessInfo.processInfo.environment["COREDATA_TOOL"], !path.isEmpty { return path }
        let folders = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
        for folder in folders {
            let path = folder.appendingPathComponent("coredata").path
            if access(path, X_OK) == 0 { return path }
        }
        throw Subprocess.Failure(description: "coredata is not beside the tests: \(folders)")
    }

    private func shell(_ script: String, input: String = "", environment: [String: String] = [:]) throws
        -> Subprocess.Result
    {
        var variables = [
            "TOOL": tool, "STORE": folder.path("Notes.sqlite"), "FOLDER": folder.path, "TERM": "xterm", "NO_COLOR": "",
        ]
        variables.merge(environment) { _, new in new }
        return try Subprocess.run("/bin/bash", ["--norc", "-c", script], environment: variables, input: input)
    }

    private func count() throws -> String { try sqlite3(folder.url("Notes.sqlite"), "SELECT count(*) FROM ZNOTE") }

    // MARK: Results and errors

    @Test func resultsGoToStandardOutputAndFailuresToStandardError() throws {
        _ = try SmallModel.store(in: folder)
        let information = try shell(#""$TOOL" info "$STORE""#)
        #expect(information.status == .exited(0))
        #expect(information.errorOutput == "")
        #expect(information.output == ToolRun("info", folder.path("Notes.sqlite")).output)
        let missing = try shell(#""$TOOL" info "$FOLDER/Note.sqlite""#)
        #expect(missing.status == .exited(1))
        #expect(missing.output == "")
        #expect(missing.errorOutput.contains("Did you mean '\(folder.path("Notes.sqlite"))'?"))
        #expect(try shell(#""$TOOL" info"#).status == .exited(2))
    }

    @Test func allOfItInOneGo() throws {
        let url = try SmallModel.store(in: folder, attachment: 200_000)
        let script = """
            set -e
            "$TOOL" schema "$STORE" >/dev/null
            "$TOOL" reset --records --dry-run "$STORE"
            "$TOOL" reset --records --yes --backup "$FOLDER/Backup.sqlite" "$STORE"
            "$TOOL" reset --store --yes "$STORE"
            "$TOOL" info --json "$FOLDER/Backup.sqlite"
            """
        let run = try shell(script)
        #expect(run.status == .exited(0), "\(run.errorOutput)")
        #expect(run.errorOutput == "")
        #expect(run.output.contains("4 rows would be deleted"))
        #expect(run.output.contains("Deleted 4 rows"))
        #expect(run.output.contains("\"rows\": 4"))
        #expect(try count() == "0")
        #expect(try folder.contents == [".Backup_SUPPORT", "Backup.sqlite", url.lastPathComponent])
    }

    // MARK: Pipes

    @Test func aClosedPipeEndsItQuietly() throws {
        _ = try SmallModel.store(in: folder)
        let run = try shell(#"(sleep 0.1; "$TOOL" info "$STORE"; echo "code $?" >&2) | true; "$TOOL" --help | head -1"#)
        #expect(run.errorOutput == "code 141\n")
        #expect(run.output == "Looks into Core Data stores and empties them, with or without their model.\n")
    }

    @Test func aFetchStreamsAndStopsWhenNobodyReadsOn() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url,
            """
            WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZTEXT) SELECT i, 2, 1, 1, printf('%05d', i) FROM n;
            """)
        let run = try shell(
            #"("$TOOL" fetch "$STORE" Note --format csv; echo "code $?" >&2) | head -2; "$TOOL" fetch "$STORE" Note | head -1"#
        )
        #expect(run.errorOutput == "code 141\n")
        #expect(run.output.hasPrefix("objectID,"))
        let whole = try shell(
            #"for f in csv jsonl table; do "$TOOL" fetch "$STORE" Note --columns text --format $f | tail -n +2 | wc -l; done"#
        )
        #expect(whole.output == "60000\n59999\n60000\n")
        let values = try shell(
            #""$TOOL" fetch "$STORE" Note --columns text --sort text:desc --format csv | tail -n +2"#)
        #expect(
            values.output.trimmingCharacters(in: .newlines)
                == (try sqlite3(url, "SELECT ZTEXT FROM ZNOTE ORDER BY ZTEXT DESC")))
        let json = try shell(#""$TOOL" fetch "$STORE" Note --json"#)
        #expect((try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [Any])?.count == 60000)
    }

    @Test func aResetIsFinishedThoughNobodyReadsTheResult() throws {
        _ = try SmallModel.store(in: folder)
        _ = try shell(#"(sleep 0.1; "$TOOL" reset --records --yes "$STORE") | true"#)
        #expect(try count() == "0")
    }

    @Test func aFullDiskBehindTheOutputIsAnError() throws {
        _ = try SmallModel.store(in: folder)
        for command in [#"info "$STORE""#, #"fetch "$STORE" Note"#, #"fetch "$STORE" Note --count --json"#] {
            let run = try shell(#""$TOOL" \#(command) > /dev/full"#)
            #expect(run.status == .exited(1))
            #expect(run.errorOutput.contains("the output cannot be written: No space left on device"))
        }
    }

    @Test func throughAPipeThereIsNobodyToAsk() throws {
        _ = try SmallModel.store(in: folder)
        let run = try shell(#""$TOOL" reset --records "$STORE""#, input: "yes\n")
        #expect(run.status == .exited(2))
        #expect(try count() == "3")
    }

    // MARK: Terminal

    /// Runs the tool on a terminal of its own; standard output and error are one then.
    private func onTerminal(_ arguments: String, typing: String, environment: [String: String] = [:]) throws
        -> Subprocess.Result
    {
        // The typing waits until the question is there.
        try shell(
            "(sleep 0.7; printf '\(typing)'; sleep 0.7) | script -qec '\"$TOOL\" \(arguments) \"$STORE\"' /dev/null",
            environment: environment)
    }

    @Test(.enabled(if: (try? Subprocess.find("script")) != nil)) func aTerminalGetsColoursAndAQuestion() throws {
        _ = try SmallModel.store(in: folder)
        #expect(try onTerminal("info", typing: "").output.contains("\u{1B}[1mEntities\u{1B}[0m"))
        #expect(!(try onTerminal("info", typing: "", environment: ["NO_COLOR": "1"])).output.contains("\u{1B}"))
        let refused = try onTerminal("reset --records", typing: "n\\n")
        #expect(refused.status == .exited(1))
        #expect(refused.output.contains("Delete 4 rows from"))
        #expect(try count() == "3")
        #expect(try onTerminal("reset --records", typing: "y\\n").status == .exited(0))
        #expect(try count() == "0")
    }

    @Test(.enabled(if: (try? Subprocess.find("script")) != nil)) func anInterruptAtTheQuestionChangesNothing() throws {
        _ = try SmallModel.store(in: folder)
        let before = try fingerprint(of: folder.url)
        let run = try onTerminal("reset --store", typing: "\\003")
        #expect(run.status == .exited(130))
        #expect(try fingerprint(of: folder.url) == before)
    }

    // MARK: Signals

    @Test func anInterruptLeavesTheStoreBeforeOrAfter() throws {
        let url = try SmallModel.store(in: folder)
        _ = try sqlite3(
            url,
            """
            WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZTEXT) SELECT i, 2, 1, 1, printf('%0200d', i) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 60000 WHERE Z_NAME = 'Note';
            """)
        let temporary = try TemporaryDirectory()
        for (index, delay) in [20_000, 60_000, 120_000, 250_000].enumerated() {
            let copy = folder.url("copy\(index).sqlite")
            try FileGroup.copy(from: url, to: copy)
            let process = try Subprocess(
                tool, ["reset", "--records", "--yes", copy.path], environment: ["TMPDIR": temporary.path])
            usleep(UInt32(delay))
            process.kill(SIGINT)
            let result = process.wait()
            #expect(result.status == .signalled(SIGINT) || result.status == .exited(0))
            let rows = try sqlite3(copy, "PRAGMA integrity_check; SELECT count(*) FROM ZNOTE")
            #expect(rows == "ok\n60000" || rows == "ok\n0")
            #expect(try temporary.contents == [])
        }
    }

    @Test func anInterruptRemovesThePrivateCopy() throws {
        let url = try SmallModel.store(in: folder)
        // A log that nobody has open, so that a copy is read: the shell is killed before it can move it into the file.
        let writer = try ShellSession(url.path)
        try writer.run("PRAGMA wal_autocheckpoint = 0; UPDATE ZNOTE SET ZTEXT = 'x' WHERE Z_PK = 1")
        try FileGroup.copy(from: url, to: folder.url("left.sqlite"))
        writer.end()
        let temporary = try TemporaryDirectory()
        for delay in [5_000, 20_000, 50_000] {
            let process = try Subprocess(
                tool, ["info", folder.path("left.sqlite")], environment: ["TMPDIR": temporary.path])
            usleep(UInt32(delay))
            process.kill(SIGTERM)
            process.wait()
            #expect(try temporary.contents == [])
        }
    }

    @Test func anInterruptLeavesAWholeBackupOrNone() throws {
        let url = try SmallModel.store(in: folder, attachment: 20_000_000)
        for delay in [10_000, 30_000, 60_000, 90_000, 120_000, 150_000] {
            let place = try TemporaryDirectory()
            let process = try Subprocess(
                tool, ["reset", "--store", "--yes", "--backup", place.path, url.path])
            usleep(UInt32(delay))
            process.kill(SIGINT)
            process.wait()
            let rows = try sqlite3(url, "SELECT count(*) FROM ZNOTE")
            #expect(rows == "3" || rows == "0")
            if try place.contents == [] {
                #expect(rows == "3")
            } else {
                #expect(try place.contents == [".Notes_SUPPORT", "Notes.sqlite"])
                #expect(
                    try sqlite3(place.url("Notes.sqlite"), "PRAGMA integrity_check; SELECT count(*) FROM ZNOTE")
                        == "ok\n3")
                let files = place.path(".Notes_SUPPORT/_EXTERNAL_DATA")
                let file = try #require(try FileManager.default.contentsOfDirectory(atPath: files).first)
                let size = try FileManager.default.attributesOfItem(atPath: files + "/" + file)[.size] as? Int
                #expect(size == 20_000_000)
            }
            if rows == "0" { return }
        }
    }

    @Test func withoutATemporaryFolderThatIsSaid() throws {
        let url = try SmallModel.store(in: folder)
        let run = try shell(
            #"TMPDIR=/nowhere "$TOOL" reset --records --entity Note --dry-run "$STORE""#)
        #expect(run.status == .exited(1))
        #expect(run.errorOutput.contains("Set TMPDIR"), "\(run.errorOutput)")
        #expect(try sqlite3(url, "SELECT count(*) FROM ZNOTE") == "3")
    }

    // MARK: Surroundings

    @Test func noEnvironmentIsNeeded() throws {
        _ = try SmallModel.store(in: folder)
        let run = try shell(
            #"env -i "$TOOL" info "$STORE" >/dev/null && env -i "$TOOL" reset --records --yes "$STORE""#)
        #expect(run.status == .exited(0), "\(run.errorOutput)")
        #expect(try count() == "0")
        #expect(try folder.contents == ["Notes.sqlite"])
        let home = try TemporaryDirectory()
        _ = try shell(#"HOME="$HERE" "$TOOL" reset --store --yes "$STORE""#, environment: ["HERE": home.path])
        #expect(try home.contents == [])
    }

    @Test func whereABackupDoesNotFitNothingIsReset() throws {
        _ = try SmallModel.store(in: folder, attachment: 900_000)
        let place = try TemporaryDirectory()
        let before = try fingerprint(of: folder.url)
        // No file may become larger than 400 kB.
        let run = try shell(
            #"trap '' XFSZ; ulimit -f 400; "$TOOL" reset --records --yes --backup "$PLACE" "$STORE""#,
            environment: ["PLACE": place.path])
        #expect(run.status == .exited(1))
        #expect(run.errorOutput.contains("the backup cannot be made, so nothing was reset"))
        #expect(try place.contents == [])
        #expect(try fingerprint(of: folder.url) == before)
    }

    @Test func aReadOnlyFolderIsReadByAnybodyAndChangedByNobody() throws {
        let isRoot = geteuid() == 0
        guard !isRoot || (try? Subprocess.find("setpriv")) != nil else { return }
        let url = try SmallModel.store(in: folder)
        let writer = try ShellSession(url.path)
        try writer.run("PRAGMA wal_autocheckpoint = 0; DELETE FROM ZNOTE WHERE Z_PK = 1")
        try FileGroup.copy(from: url, to: folder.url("log.sqlite"))
        writer.end()
        #expect(try sqlite3(url, "PRAGMA wal_checkpoint(TRUNCATE)") == "0|0|0")
        // Where an unprivileged user can start it.
        // (Copied by another process: a child that is just being started would hold the file open for writing.)
        #expect(try shell(#"cp "$TOOL" "$FOLDER/tool""#).isSuccess)
        let temporary = try TemporaryDirectory()
        chmod(temporary.path, 0o777)
        for name in try folder.contents { chmod(folder.path(name), name == "tool" ? 0o555 : 0o444) }
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let before = try fingerprint(of: folder.url)
        let prefix = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups env " : "env "
        for (name, rows) in [("Notes.sqlite", 3), ("log.sqlite", 3)] {
            let script = """
                run() { \(prefix) TMPDIR="\(temporary.path)" "$FOLDER/tool" "$@"; }
                run info --json "$FOLDER/\(name)" && run schema "$FOLDER/\(name)" >/dev/null &&
                run fetch "$FOLDER/\(name)" Note --count --json &&
                run reset --records --dry-run --entity Note "$FOLDER/\(name)" >/dev/null
                run reset --records --yes "$FOLDER/\(name)"; echo "code $?" >&2
                """
            let run = try shell(script)
            #expect(run.output.contains("\"rows\": \(rows),"), "\(run.errorOutput)")
            #expect(run.output.contains("{\"count\": \(rows - 1)}"))
            #expect(run.errorOutput.contains("the file cannot be written: Permission denied"))
            #expect(run.errorOutput.hasSuffix("code 1\n"))
        }
        #expect(try fingerprint(of: folder.url) == before)
        #expect(try temporary.contents == [])
    }

    @Test func aStoreInUseIsReadBesideItsUser() throws {
        let url = try SmallModel.store(in: folder)
        let writer = try ShellSession(url.path)
        try writer.run("DELETE FROM ZNOTE WHERE Z_PK = 1; BEGIN IMMEDIATE; DELETE FROM ZNOTE")
        let names = try folder.contents
        let main = try Data(contentsOf: url)
        let log = try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
        let run = try shell(#""$TOOL" info --json "$STORE""#)
        #expect(run.output.contains("\"rows\": 3,"), "\(run.errorOutput)")
        #expect(try folder.contents == names)
        #expect(try Data(contentsOf: url) == main)
        #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")) == log)
        try writer.run("ROLLBACK")
        writer.end()
    }
}

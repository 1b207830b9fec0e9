import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// The built `coredata fetch` on large stores: what it prints while others write, and what memory it takes.
@Suite(.enabled(if: SQLiteShell.isUsable), .timeLimit(.minutes(5)))
struct FetchSnapshotTests {
    let folder: TemporaryDirectory
    let temporary: TemporaryDirectory
    let url: URL

    init() throws {
        folder = try TemporaryDirectory()
        temporary = try TemporaryDirectory()
        url = try SmallModel.store(in: folder)
    }

    /// Notes with the text `old` and a number, in 200 characters.
    private func fill(_ count: Int) throws {
        _ = try sqlite3(
            url,
            """
            DELETE FROM ZNOTE;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZTEXT) SELECT i, 2, 1, 1, printf('old%0197d', i) FROM n;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    /// Fetches all texts; when the first line is there another process changes every row and moves that into the file.
    private func fetchWhileOthersWrite(temporaryFolder: String) throws -> Subprocess.Result {
        let script = #"""
            set -o pipefail
            "$TOOL" fetch "$STORE" Note --columns text --format csv | {
                read -r title
                sqlite3 "$STORE" "PRAGMA busy_timeout = 100; UPDATE ZNOTE SET ZTEXT = 'new' || substr(ZTEXT, 4);
                    PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null 2>&1
                cut -c 1-3 | sort | uniq -c | tr -d ' '
            }
            echo "code $?"
            """#
        return try Subprocess.run(
            "/bin/bash", ["--norc", "-c", script],
            environment: ["TOOL": try EndToEndTests.toolPath(), "STORE": url.path, "TMPDIR": temporaryFolder])
    }

    private func newRows() throws -> String { try sqlite3(url, "SELECT count(*) FROM ZNOTE WHERE ZTEXT LIKE 'new%'") }

    @Test(arguments: ["WAL", "DELETE"]) func aWriterWhoComesLaterChangesNothingOfTheOutput(_ mode: String) throws {
        try fill(8_000)
        _ = try sqlite3(url, "PRAGMA journal_mode = \(mode)")
        let run = try fetchWhileOthersWrite(temporaryFolder: temporary.path)
        #expect(run.output == "8000old\ncode 0\n", "\(run.errorOutput)")
        #expect(run.errorOutput == "")
        #expect(try newRows() == "8000")
        #expect(try temporary.contents == [])
    }

    @Test func theStoreOfARunningProgramIsReadAsItWas() throws {
        try fill(8_000)
        let program = try ShellSession(url.path)
        try program.run("SELECT count(*) FROM ZNOTE")
        let run = try fetchWhileOthersWrite(temporaryFolder: temporary.path)
        #expect(run.output == "8000old\ncode 0\n", "\(run.errorOutput)")
        #expect(try newRows() == "8000")
        program.end()
    }

    /// Each write opens and closes the file; half of the rows say 1 and half say 2, in turn.
    @Test(arguments: ["WAL", "DELETE"]) func nothingIsPrintedTwiceWhileOthersComeAndGo(_ mode: String) throws {
        try fill(500)
        _ = try sqlite3(url, "PRAGMA journal_mode = \(mode); UPDATE ZNOTE SET ZTEXT = Z_PK % 2 + 1")
        let script = #"""
            (while [ ! -e "$TMPDIR/stop" ]; do sqlite3 "$STORE" "UPDATE ZNOTE SET ZTEXT = 3 - ZTEXT" 2>/dev/null; done) &
            for i in 1 2 3 4 5 6 7 8; do
                "$TOOL" fetch "$STORE" Note --columns text --format csv | sort | uniq -c | tr -s ' \n' ' '
                echo
            done | sort | uniq -c
            touch "$TMPDIR/stop"
            wait
            """#
        let run = try Subprocess.run(
            "/bin/bash", ["--norc", "-c", script],
            environment: ["TOOL": try EndToEndTests.toolPath(), "STORE": url.path, "TMPDIR": temporary.path])
        #expect(run.output == "      8  250 1 250 2 1 text \n", "\(run.errorOutput)")
    }

    @Test func withoutRoomForACopyAChangeIsAnError() throws {
        try fill(8_000)
        let run = try fetchWhileOthersWrite(temporaryFolder: "/nowhere")
        #expect(run.output.hasSuffix("code 1\n"))
        #expect(run.errorOutput.contains("another program changed the store while it was read"))
        #expect(run.errorOutput.contains("Set TMPDIR"))
        let tool = try EndToEndTests.toolPath()
        let quiet = try Subprocess.run(tool, ["fetch", url.path, "Note"], environment: ["TMPDIR": "/nowhere"])
        #expect(quiet.status == .exited(0))
        #expect(quiet.output.split(separator: "\n").count == 8_001)
    }

    @Test func nothingOfItStaysBehind() throws {
        try fill(8_000)
        let before = try fingerprint(of: folder.url)
        let run = try Subprocess.run(
            try EndToEndTests.toolPath(), ["fetch", url.path, "Note", "--sort", "text:desc"],
            environment: ["TMPDIR": temporary.path])
        #expect(run.output.split(separator: "\n").count == 8_001)
        #expect(try fingerprint(of: folder.url) == before)
        #expect(try temporary.contents == [])
    }

    // MARK: Memory

    @Test(.enabled(if: access("/proc/self/status", R_OK) == 0)) func moreRowsTakeNoMoreMemory() throws {
        let peaks = try [10_000, 100_000].map { count in
            try fill(count)
            return try peakMemory("fetch", url.path, "Note", "--columns", "text", "--format", "csv")
        }
        // 90,000 rows of 200 characters are 18 MB.
        #expect(peaks[0] > 1000)
        #expect(peaks[1] < peaks[0] + 8000, "kB: \(peaks)")
    }

    /// In kB.
    private func peakMemory(_ words: String...) throws -> Int {
        let tool = try EndToEndTests.toolPath()
        // The reader of this process would hold all of the output.
        let process = try Subprocess(
            "/bin/bash", ["--norc", "-c", #"exec "$0" "$@" > /dev/null"#, tool] + words,
            environment: ["TMPDIR": temporary.path])
        var peak = 0
        // A process that has ended has no memory.
        while let status = try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        {
            if status.contains("coredata\n") { peak = line.split(separator: " ").compactMap { Int($0) }.first ?? peak }
            usleep(2000)
        }
        #expect(process.wait().status == .exited(0))
        return peak
    }
}

import Foundation
import TestSupport
import Testing

/// What other tests rely on when they start processes.
@Suite struct TestSupportTests {
    @Test func aChildsOutputAndStatusAreTold() throws {
        let result = try Subprocess.run("sh", ["-c", "cat; echo problem >&2; exit 3"], input: "in\n")
        #expect(result.status == .exited(3))
        #expect(!result.isSuccess)
        #expect(result.output == "in\n")
        #expect(result.errorOutput == "problem\n")
    }

    @Test func aSignalIsTold() throws {
        #expect(try Subprocess.run("sh", ["-c", "kill -9 $$"]).status == .signalled(SIGKILL))
        let child = try Subprocess("cat")
        child.kill(SIGTERM)
        #expect(child.wait().status == .signalled(SIGTERM))
    }

    @Test func aChildThatHangsIsKilled() throws {
        let start = Date()
        #expect(try Subprocess.run("sleep", ["60"], timeout: 0.2).status == .timedOut)
        #expect(Date().timeIntervalSince(start) < 30)
    }

    @Test func variablesAndFolderArePassedOn() throws {
        let folder = try TemporaryDirectory()
        let result = try Subprocess.run(
            "sh", ["-c", "echo $OPENCOREDATA_TEST; pwd -P"], environment: ["OPENCOREDATA_TEST": "a b"],
            directory: folder.url)
        #expect(result.output.split(separator: "\n").first == "a b")
        #expect(result.output.contains(folder.url.lastPathComponent))
    }

    @Test func aChildIsTalkedToLineByLine() throws {
        let child = try Subprocess("sh", ["-c", "while read line; do echo got $line; done; echo end"])
        child.writeLine("one")
        #expect(child.readLine() == "got one")
        child.writeLine("two")
        #expect(child.readLine() == "got two")
        #expect(child.readLine(timeout: 0.05) == nil)
        child.closeInput()
        #expect(child.wait().output == "end\n")
    }

    @Test func muchInputAndOutputDoNotBlock() throws {
        let text = String(repeating: "0123456789abcde\n", count: 100_000)
        #expect(try Subprocess.run("cat", input: text).output == text)
    }

    @Test func aMissingExecutableIsAnError() {
        #expect(throws: Subprocess.Failure.self) { try Subprocess.run("no-such-program-here") }
        #expect(throws: Subprocess.Failure.self) { try Subprocess.run("/no/such/program") }
    }

    @Test func aDroppedChildIsGone() throws {
        var child: Subprocess? = try Subprocess("sleep", ["60"])
        let processID = try #require(child?.processID)
        child = nil
        #expect(kill(processID, 0) == -1)
    }

    @Test func aTemporaryFolderGoesWithItsLastReference() throws {
        var folder: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(folder?.path)
        try Data([1]).write(to: #require(folder?.url("a")))
        #expect(try folder?.contents == ["a"])
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.enabled(if: SQLiteShell.isUsable)) func theShellsErrorsAreThrown() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: Subprocess.Failure.self) { try sqlite3(folder.path("a"), "SELECT * FROM missing") }
        #expect(try sqlite3(folder.path("a"), "SELECT 1, NULL, 'x'; SELECT 2") == "1||x\n2")
    }

    @Test func openFilesAreListed() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("a")
        let descriptor = open(path, O_CREAT | O_RDWR, 0o600)
        #expect(openDescriptors(under: folder.path) == [descriptor: path])
        #expect(openDescriptorCount() > 3)
        close(descriptor)
        #expect(openDescriptors(under: folder.path).isEmpty)
    }
}

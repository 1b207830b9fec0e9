import Foundation
import TestSupport
import Testing

/// What launch arguments, environment and folders do to a process.
@Suite("Launching")
struct LaunchTests {
    @Test("the SQL log is silent by default, shows statements from 1 and values at 3")
    func sqlLog() throws {
        let silent = try runChild("write-note")
        #expect(silent.output == "found 1\n")
        #expect(silent.errorOutput == "")
        let statements = try runChild("write-note", ["-com.apple.CoreData.SQLDebug", "1"]).errorOutput
        #expect(statements.contains("INSERT INTO ZNOTE") || statements.contains("INSERT INTO \"ZNOTE\""))
        #expect(statements.contains(" row"))
        #expect(!statements.contains("a telling text"))
        let values = try runChild("write-note", environment: ["COREDATA_SQLDEBUG": "3"]).errorOutput
        #expect(values.contains("'a telling text'"))
    }

    @Test("the default directory is the executable's own below XDG_DATA_HOME, made for the user alone")
    func defaultDirectory() throws {
        let folder = try TemporaryDirectory()
        let home = folder.url("data")
        let result = try runChild("default-directory", environment: ["XDG_DATA_HOME": home.path])
        #expect(result.output == home.appendingPathComponent("CoreDataTestChild").path + "\n")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: home.appendingPathComponent("CoreDataTestChild").path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test("a container of a model that is nowhere stops with a message that says where it looked")
    func unknownModel() throws {
        let result = try runChild("unknown-model")
        #expect(!result.isSuccess)
        #expect(result.errorOutput.contains("NoSuchModel.xcdatamodeld"))
        #expect(result.errorOutput.contains("Looked in:"))
    }
}

import Testing

@testable import CoreData

@Suite("SQL log switch")
struct SQLDebugTests {
    @Test("the launch argument sets the level and counts more than the environment")
    func arguments() {
        let environment = ["COREDATA_SQLDEBUG": "1"]
        #expect(SQLDebug.configured(arguments: ["app"], environment: [:]) == 0)
        #expect(SQLDebug.configured(arguments: ["app"], environment: environment) == 1)
        let arguments = ["app", "-com.apple.CoreData.SQLDebug", "3"]
        #expect(SQLDebug.configured(arguments: arguments, environment: environment) == 3)
    }

    @Test("what is no level counts as none, and levels are bounded")
    func bounds() {
        #expect(SQLDebug.configured(arguments: ["app", "-com.apple.CoreData.SQLDebug"], environment: [:]) == 0)
        #expect(SQLDebug.configured(arguments: ["app", "-com.apple.CoreData.SQLDebug", "x"], environment: [:]) == 0)
        #expect(SQLDebug.configured(arguments: ["app", "-com.apple.CoreData.SQLDebug", "9"], environment: [:]) == 3)
        #expect(SQLDebug.configured(arguments: [], environment: ["COREDATA_SQLDEBUG": "-2"]) == 0)
    }
}

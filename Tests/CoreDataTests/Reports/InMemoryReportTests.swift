import CoreData
import Foundation
import TestSupport
import Testing

/// Stores in memory that do what those in files do.
@Suite struct InMemoryReportTests {
    @Test(arguments: ReportStack.Kind.allCases)
    func uniquenessIsEnforcedInEveryKindOfStore(_ kind: ReportStack.Kind) throws {
        let stack = try ReportStack(kind, ReportModels.users())
        let context = stack.makeContext()
        context.insert("User", ["email": "ann@example.org"])
        try context.save()
        context.insert("User", ["email": "ann@example.org"])
        #expect(errorCode { try context.save() } == 133021)
        context.rollback()
        #expect(try stack.count("User") == 1)
        #expect(try stack.batchDelete("User") == 1)
        #expect(try stack.count("User") == 0)
    }

    @Test func containersAtDevNullAreApartAndMakeNoFile() throws {
        let (one, two) = (
            try ReportStack(.memoryFile, ReportModels.users()), try ReportStack(.memoryFile, ReportModels.users())
        )
        let context = one.makeContext()
        context.insert("User", ["email": "ann@example.org"])
        try context.save()
        #expect(try one.count("User") == 1)
        #expect(try two.count("User") == 0)
        #expect(one.container.persistentStoreCoordinator.persistentStores.first?.type == NSSQLiteStoreType)
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: "/dev/null" + suffix))
        }
        #expect(!FileManager.default.fileExists(atPath: one.path))
    }
}

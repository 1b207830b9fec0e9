import CoreData
import Foundation
import TestSupport
import Testing

/// Objects whose records went behind their backs.
@Suite(.enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct InaccessibleRecordReportTests {
    @Test func withoutDeleteActionTheKeyStaysAndTheTargetReadsNil() throws {
        let messages = ReportedMessages.shared
        let stack = try ReportStack(.file, ReportModels.books(.noActionDeleteRule))
        let writer = stack.makeContext()
        let author = writer.insert("Author", ["name": "Jane"])
        writer.insert("Book", ["name": "Emma", "author": author])
        try writer.save()
        let key = try sqlite3(stack.path, "SELECT Z_PK FROM ZAUTHOR")
        writer.delete(author)
        try writer.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZAUTHOR") == "0")
        #expect(try sqlite3(stack.path, "SELECT ZAUTHOR FROM ZBOOK") == key)
        let context = stack.makeContext()
        let book = try #require(try context.all("Book").first)
        let missing = try #require(book.value(forKey: "author") as? NSManagedObject)
        #expect(missing.isFault)
        #expect(missing.nameValue == nil)
        #expect(missing.isDeleted)
        #expect(messages.warnings(about: stack.identifier + "/Author/") == 1)
    }

    @Test(arguments: ReportStack.Kind.allCases)
    func whetherABatchDeletedObjectExistsCanBeAskedAndItsFaultReadsNil(_ kind: ReportStack.Kind) throws {
        let stack = try ReportStack(kind, ReportModels.books(.nullifyDeleteRule))
        let writer = stack.makeContext()
        let books = (0..<3).map { writer.insert("Book", ["name": "B\($0)"]) }
        try writer.save()
        let ids = books.map(\.objectID)
        let context = stack.makeContext()
        let fault = context.object(with: ids[0])
        #expect(try stack.batchDelete("Book") == 3)
        for id in ids {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "SELF == %@", id)
            #expect(try context.count(for: request) == 0)
            #expect(errorCode { _ = try context.existingObject(with: id) } == 133000)
        }
        #expect(fault.nameValue == nil)
        #expect(fault.isDeleted)
    }
}

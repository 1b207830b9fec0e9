import CoreData
import Foundation
import TestSupport
import Testing

/// Counts the hooks of all its objects.
final class CountedAuthor: NSManagedObject {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var calls: [String: Int] = [:]

    private static func note(_ call: String) { lock.withLock { calls[call, default: 0] += 1 } }

    /// How often each hook ran since this was asked last.
    static func takeCounts() -> [String: Int] {
        lock.withLock {
            defer { calls = [:] }
            return calls
        }
    }

    override func validateForDelete() throws {
        Self.note("validateForDelete")
        try super.validateForDelete()
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        Self.note("prepareForDeletion")
    }

    override func willSave() {
        super.willSave()
        Self.note("willSave")
    }
}

@Suite(.enabled(if: SQLiteShell.isUsable, "the sqlite3 shell is missing"))
struct DeleteRuleReportTests {
    /// Authors (or conversations) with members.
    private func fill(
        _ stack: ReportStack, _ owners: Int, _ members: Int, _ owner: String = "Author", _ member: String = "Book",
        key: String = "author"
    ) throws {
        let context = stack.makeContext()
        for number in 0..<owners {
            let object = context.insert(owner, ["name": "\(number)"])
            for _ in 0..<members { context.insert(member, [key: object]) }
        }
        try context.save()
    }

    @Test func aBatchDeleteThatWouldNullifyAMandatoryInverseDeletesNothingAndNamesIt() throws {
        let stack = try ReportStack(.file, ReportModels.roles(.nullifyDeleteRule))
        try fill(stack, 2, 3, "Conversation", "Role", key: "conversation")
        let error = try #require(throws: NSError.self) { try stack.batchDelete("Conversation") }
        let reason = try #require(error.localizedFailureReason)
        for name in ["Conversation", "roles", "Role/conversation"] { #expect(reason.contains(name), "\(reason)") }
        let counts = "SELECT (SELECT count(*) FROM ZCONVERSATION), (SELECT count(ZCONVERSATION) FROM ZROLE)"
        #expect(try sqlite3(stack.path, counts) == "2|6")
    }

    @Test func theSameBatchDeleteSucceedsWhereTheRuleCascades() throws {
        let stack = try ReportStack(.file, ReportModels.roles(.cascadeDeleteRule))
        try fill(stack, 2, 3, "Conversation", "Role", key: "conversation")
        try stack.batchDelete("Conversation")
        let counts = "SELECT (SELECT count(*) FROM ZCONVERSATION), (SELECT count(*) FROM ZROLE)"
        #expect(try sqlite3(stack.path, counts) == "0|0")
    }

    @Test func aBatchDeleteOfOwnersKeepsNullifiedMembers() throws {
        let stack = try ReportStack(.file, ReportModels.books(.nullifyDeleteRule))
        try fill(stack, 3, 2)
        #expect(try stack.batchDelete("Author") == 3)
        let counts = "SELECT (SELECT count(*) FROM ZAUTHOR), count(*), count(ZAUTHOR) FROM ZBOOK"
        #expect(try sqlite3(stack.path, counts) == "0|6|0")
        let context = stack.makeContext()
        #expect(try context.all("Book").allSatisfy { $0.value(forKey: "author") == nil })
    }

    @Test(arguments: ReportStack.Kind.allCases)
    func deletingAnOwnerCascadesInEveryKindOfStore(_ kind: ReportStack.Kind) throws {
        let stack = try ReportStack(kind, ReportModels.books(.cascadeDeleteRule))
        try fill(stack, 2, 3)
        let context = stack.makeContext()
        context.delete(try #require(try context.all("Author").first))
        try context.save()
        #expect(try stack.count("Author") == 1)
        #expect(try stack.count("Book") == 3)
    }

    @Test func aBatchDeleteRunsNoHooksAndEnforcesNoDenyRule() throws {
        let model = { ReportModels.books(.denyDeleteRule, authorClass: "CoreDataTests.CountedAuthor") }
        let once = ["validateForDelete": 1, "prepareForDeletion": 1, "willSave": 1]
        let byObjects = try ReportStack(.file, model())
        try fill(byObjects, 1, 2)
        let context = byObjects.makeContext()
        let author = try #require(try context.all("Author").first as? CountedAuthor)
        _ = CountedAuthor.takeCounts()
        context.delete(author)
        #expect(errorCode { try context.save() } == 1600)
        #expect(CountedAuthor.takeCounts() == once)

        let byBatch = try ReportStack(.file, model())
        try fill(byBatch, 1, 2)
        _ = CountedAuthor.takeCounts()
        #expect(try byBatch.batchDelete("Author") == 1)
        #expect(CountedAuthor.takeCounts() == [:])
        #expect(try sqlite3(byBatch.path, "SELECT count(*) FROM ZAUTHOR") == "0")
        #expect(try sqlite3(byBatch.path, "SELECT count(*), count(ZAUTHOR) FROM ZBOOK") == "2|0")
    }

    /// Owner 1—1 Licence and 1—n Car, whose owners are mandatory; Car n—m Tag; owners teach owners.
    private func garage() -> NSManagedObjectModel {
        let (owner, licence) = (ReportModels.named("Owner"), ReportModels.named("Licence"))
        let (car, tag) = (ReportModels.named("Car"), ReportModels.named("Tag"))
        Office.relate(licence, "owner", to: owner, "licence", toMany: false)
        Office.relate(car, "owner", to: owner, "cars", toMany: true)
        Office.relate(owner, "teacher", to: owner, "pupils", toMany: true)
        Office.relateMany(car, "tags", tag, "cars")
        for entity in [licence, car] { entity.relationshipsByName["owner"]?.isOptional = false }
        owner.relationshipsByName["licence"]?.isOptional = false
        return ReportModels.model(owner, licence, car, tag)
    }

    @Test func everythingGoesInOneSaveThoughPartnersAreMandatory() throws {
        let stack = try ReportStack(.file, garage())
        let writer = stack.makeContext()
        var owners: [NSManagedObject] = []
        let tags = (0..<50).map { writer.insert("Tag", ["name": "T\($0)"]) }
        for number in 0..<50 {
            let owner = writer.insert("Owner", ["name": "O\(number)", "teacher": owners.last])
            writer.insert("Licence", ["owner": owner])
            writer.insert("Car", ["owner": owner, "tags": Set([tags[number], tags[(number + 1) % 50]])])
            owners.append(owner)
        }
        owners[0].setValue(owners[49], forKey: "teacher")
        try writer.save()
        let join = try sqlite3(
            stack.path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        let tables = ["ZOWNER", "ZLICENCE", "ZCAR", "ZTAG", join]
        let counts = tables.map { "(SELECT count(*) FROM \($0))" }.joined(separator: ", ")
        #expect(try sqlite3(stack.path, "SELECT \(counts)") == "50|50|50|50|100")
        let context = stack.makeContext()
        for entity in ["Owner", "Licence", "Car", "Tag"] { try context.all(entity).forEach(context.delete) }
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT \(counts)") == "0|0|0|0|0")
        #expect(!context.hasChanges)
    }
}

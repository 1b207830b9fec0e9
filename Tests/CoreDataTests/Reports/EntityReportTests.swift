import CoreData
import Foundation
import TestSupport
import Testing

/// An entity of two models claims it.
final class ClaimedNote: NSManagedObject {}

/// What counts as the objects of an entity.
@Suite struct EntityReportTests {
    private func zoo(_ kind: ReportStack.Kind) throws -> ReportStack {
        let stack = try ReportStack(kind, ReportModels.animals())
        let context = stack.makeContext()
        for number in 0..<3 { context.insert("Dog", ["name": "\(number)"]) }
        for number in 0..<4 { context.insert("Cat", ["name": "\(number)"]) }
        try context.save()
        return stack
    }

    @Test(arguments: ReportStack.Kind.allCases)
    func aBatchDeleteOfAnAbstractEntityTakesItsSubentities(_ kind: ReportStack.Kind) throws {
        let stack = try zoo(kind)
        #expect(try stack.count("Animal") == 7)
        #expect(try stack.batchDelete("Animal") == 7)
        #expect(try stack.count("Dog") + stack.count("Cat") == 0)
    }

    @Test(arguments: ReportStack.Kind.allCases)
    func aBatchDeleteOfASubentityLeavesItsSiblings(_ kind: ReportStack.Kind) throws {
        let stack = try zoo(kind)
        #expect(try stack.batchDelete("Dog") == 3)
        #expect(try stack.count("Cat") == 4)
        #expect(try stack.count("Animal") == 4)
    }

    @Test func batchDeletesOfAllEntitiesCountEachObjectOnce() throws {
        let stack = try zoo(.file)
        let counts = try stack.container.managedObjectModel.entities.map { try stack.batchDelete($0.name ?? "") ?? -1 }
        #expect(counts.reduce(0, +) == 7)
        if SQLiteShell.isUsable { #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZANIMAL") == "0") }
    }

    @Test func twoModelsMayClaimAClassAndOnlyTheClassesOwnLookUpIsAmbiguous() throws {
        let messages = ReportedMessages.shared
        let stacks = try (0..<2).map { _ in
            let note = ReportModels.named("Note")
            note.managedObjectClassName = "CoreDataTests.ClaimedNote"
            return try ReportStack(.memory, ReportModels.model(note))
        }
        let contexts = stacks.map { $0.makeContext() }
        for (stack, context) in zip(stacks, contexts) {
            let model = stack.container.managedObjectModel
            let byName = context.insert("Note", ["name": "by name"])
            let byClass = ClaimedNote(context: context)
            #expect(byName is ClaimedNote)
            #expect(byName.entity === model.entitiesByName["Note"])
            #expect(byClass.entity === byName.entity)
        }
        let warning = "'ClaimedNote' so +entity is unable to disambiguate"
        #expect(messages.warnings(about: warning) == 0)
        try contexts[0].save()
        #expect(try stacks.map { try $0.count("Note") } == [2, 0])
        try contexts[1].save()
        #expect(try stacks.map { try $0.count("Note") } == [2, 2])
        let newest = ClaimedNote.entity()
        #expect(newest === stacks[1].container.managedObjectModel.entitiesByName["Note"])
        #expect(messages.warnings(about: warning) == 1)
    }
}

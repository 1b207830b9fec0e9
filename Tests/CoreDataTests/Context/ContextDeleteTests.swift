import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct ContextDeleteTests {
    @Test func prepareForDeletionRunsInEachCall() throws {
        let stack = try OfficeStack(personClass: HookedPerson.className)
        let context = stack.makeContext()
        let person = try #require(context.person("Ann") as? HookedPerson)
        try context.save()
        context.delete(person)
        context.delete(person)
        #expect(person.count("prepareForDeletion") == 2)
        #expect(context.deletedObjects == [person])
        try context.save()
        #expect(try context.count("Person") == 0)
    }

    @Test func aPendingDeleteIsNotFetched() throws {
        let stack = try OfficeStack()
        try stack.fill(("Ann", 1), ("Bob", 2))
        let context = stack.makeContext()
        context.delete(try #require(try context.one("Ann")))
        #expect(try context.all("Person").compactMap(\.nameValue) == ["Bob"])
        #expect(try context.one("Ann") == nil)
        #expect(try context.count("Person") == 1)
    }

    @Test(arguments: [true, false]) func rulesAreCarriedOutAtTheEndOfTheEventOrAtTheSave(_ atEnd: Bool) throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        context.propagatesDeletesAtEndOfEvent = atEnd
        let team = context.insert("Team", ["name": "Red"])
        let person = context.person("Ann")
        person.setValue(team, forKey: "team")
        let room = context.insert("Room", ["number": 1, "team": team])
        try context.save()
        context.delete(team)
        context.processPendingChanges()
        #expect((person.value(forKey: "team") == nil) == atEnd)
        #expect(room.isDeleted == atEnd)
        try context.save()
        #expect(person.value(forKey: "team") == nil)
        #expect(room.managedObjectContext == nil)
        #expect(try stack.makeContext().count("Room") == 0)
        #expect(try stack.makeContext().count("Person") == 1)
    }

    @Test func aDenyRuleFailsTheSaveUntilRolledBack() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        context.insert("Debt", ["amount": 1.0, "team": team])
        try context.save()
        context.delete(team)
        let error = try #require(throws: NSError.self) { try context.save() }
        #expect(error.code == 1600)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "debts")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === team)
        context.person("Ann")
        #expect(errorCode { try context.save() } == 1600)
        context.rollback()
        context.person("Bob")
        try context.save()
        #expect(try stack.makeContext().all("Person").map(\.nameValue) == ["Bob"])
    }

    @Test func aDenyRuleIsContentIfTheOtherSideGoesToo() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        let debt = context.insert("Debt", ["amount": 1.0, "team": team])
        try context.save()
        context.delete(team)
        context.delete(debt)
        try context.save()
        #expect(try context.count("Team") == 0)
    }

    @Test(arguments: [true, false]) func childrenMovedBeforeTheDeleteSurviveACascade(_ isLoaded: Bool) throws {
        let stack = try OfficeStack(.file)
        let writer = stack.makeContext()
        let old = writer.insert("Team", ["name": "Old"])
        writer.insert("Team", ["name": "New"])
        for number in 1...2 { writer.insert("Room", ["number": number, "team": old]) }
        try writer.save()
        let context = stack.makeContext()
        let teams = try context.all("Team", sort: "name")
        let (new, former) = (teams[0], teams[1])
        if isLoaded { #expect((former.value(forKey: "rooms") as? Set<NSManagedObject>)?.count == 2) }
        for room in try context.all("Room") { room.setValue(new, forKey: "team") }
        context.delete(former)
        try context.save()
        #expect(
            try sqlite3(
                stack.path,
                "SELECT r.ZNUMBER, t.ZNAME FROM ZROOM r JOIN ZTEAM t ON t.Z_PK = r.ZTEAM ORDER BY 1") == "1|New\n2|New")
    }

    @Test func everythingOfALinkedGraphCanGoInOneSave() throws {
        let stack = try OfficeStack(.file)
        let context = stack.makeContext()
        var all: [NSManagedObject] = []
        let tags = (0..<5).map { context.insert("Tag", ["text": "t\($0)"]) }
        for number in 0..<20 {
            let team = context.insert("Team", ["name": "T\(number)"])
            let person = context.person("P\(number)")
            person.setValue(team, forKey: "team")
            person.setValue(Set(tags), forKey: "tags")
            let badge = context.insert("Badge", ["person": person])
            let debt = context.insert("Debt", ["team": team])
            let room = context.insert("Room", ["number": number, "team": team])
            all += [team, person, badge, debt, room]
        }
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZPERSON") == "20")
        for object in all + tags { context.delete(object) }
        try context.save()
        let tables = ["ZPERSON", "ZTEAM", "ZROOM", "ZDEBT", "ZTAG", "ZBADGE"]
        for table in tables { #expect(try sqlite3(stack.path, "SELECT count(*) FROM \(table)") == "0") }
        let join = try sqlite3(stack.path, "SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_%TAGS' ESCAPE '\\'")
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM \(join)") == "0")
        #expect(!context.hasChanges)
    }

    @Test func aDeletedMemberLeavesTheOwnersSet() throws {
        let stack = try OfficeStack()
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        let persons = (0..<50).map { number in
            let person = context.person("P\(number)")
            person.setValue(team, forKey: "team")
            return person
        }
        try context.save()
        for person in persons { context.delete(person) }
        try context.save()
        #expect((team.value(forKey: "persons") as? Set<NSManagedObject>)?.isEmpty == true)
    }

    @Test func deletingANewObjectFreesItsRelations() throws {
        let stack = try OfficeStack(.file)
        let context = stack.makeContext()
        let team = context.insert("Team", ["name": "Red"])
        try context.save()
        let person = context.person("Ann")
        person.setValue(team, forKey: "team")
        context.delete(person)
        try context.save()
        #expect((team.value(forKey: "persons") as? Set<NSManagedObject>)?.isEmpty == true)
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM ZPERSON") == "0")
    }

    @Test func deletingAFaultWhoseRecordIsGoneSavesWithoutConflict() throws {
        let stack = try OfficeStack()
        let ids = try stack.fill(("Ann", 1))
        let context = stack.makeContext()
        let fault = context.object(with: ids[0])
        let other = stack.makeContext()
        other.delete(try other.existingObject(with: ids[0]))
        try other.save()
        context.delete(fault)
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func aPairWithAnObjectThatIsDeletedInTheSameSaveIsNotWritten() throws {
        let stack = try OfficeStack(.file)
        let writer = stack.makeContext()
        let (person, tag) = (writer.person("a"), writer.insert("Tag", ["text": "x"]))
        try writer.save()
        let tables = try sqlite3(
            stack.path, "SELECT m.name FROM sqlite_master m WHERE type = 'table' AND name LIKE 'Z\\_%TAGS' ESCAPE '\\'")
        for isPersonDeleted in [true, false] {
            let context = stack.makeContext()
            let (left, right) = (context.object(with: person.objectID), context.object(with: tag.objectID))
            left.mutableSetValue(forKey: "tags").add(right)
            context.delete(isPersonDeleted ? left : right)
            if isPersonDeleted {
                let other = context.person("b")
                other.mutableSetValue(forKey: "tags").add(right)
                try context.save()
                #expect(try sqlite3(stack.path, "SELECT count(*) FROM \(tables)") == "1")
            } else {
                context.rollback()
            }
        }
        let context = stack.makeContext()
        let (another, sole) = (context.person("c"), context.object(with: tag.objectID))
        another.mutableSetValue(forKey: "tags").add(sole)
        context.delete(sole)
        try context.save()
        #expect(try sqlite3(stack.path, "SELECT count(*) FROM \(tables)") == "0")
    }
}

import CoreData
import CoreDataReset
import Foundation
import TestSupport
import Testing

@Suite("Deleting the records of chosen entities", .enabled(if: SQLiteShell.isUsable))
struct DeletingChosenEntitiesTests {
    private let club: Club
    /// Keys that lead to no row.
    private let dangling = "SELECT count(*) FROM ZPERSON WHERE ZTEAM NOT IN (SELECT Z_PK FROM ZTEAM)"

    init() throws {
        club = try Club()
        try club.fill()
    }

    private func addCoach() throws {
        let team = try #require(try club.fetch("Team").first)
        Club.insert("Coach", ["name": "Kay", "team": team], into: club.context)
        try club.context.save()
    }

    @Test("join rows of deleted records go, their partners stay")
    func joinRows() throws {
        let report = try club.container.deleteAllRecords(.only(["Tag"]))
        #expect(try club.rawCounts() == "2|6|0|0")
        #expect(report.recordsDeleted == 2)
    }

    @Test("what the model's cascade rule says goes too")
    func cascade() throws {
        let report = try club.container.deleteAllRecords(.only(["Team"]))
        #expect(try club.rawCounts() == "0|0|2|0")
        #expect(
            report.stores.first?.rows.filter { $0.before != $0.after }.map(\.entity) == ["Player", "Team"])
    }

    @Test("an entity stands for those below it too, and no key dangles")
    func subentities() throws {
        try addCoach()
        try club.container.deleteAllRecords(.only(["Person"]))
        #expect(try club.rawCounts() == "2|0|2|0")
        #expect(try sqlite3(club.url, dangling) == "0")
    }

    @Test("records of a sibling in the same table stay")
    func siblings() throws {
        try addCoach()
        try club.container.deleteAllRecords(.only(["Player"]))
        #expect(try club.rawCounts() == "2|1|2|0")
        #expect(try sqlite3(club.url, "SELECT ZNAME FROM ZPERSON") == "Kay")
        #expect(try sqlite3(club.url, dangling) == "0")
    }

    @Test("some among others stay, and a cascade that would take one stops the deletion")
    func among() throws {
        try addCoach()
        try club.container.deleteAllRecords(.among(["Person"], allBut: ["Coach"]))
        #expect(try club.rawCounts() == "2|1|2|0")
        #expect(throws: ResetError.self) {
            try club.container.deleteAllRecords(.among(["Team"], allBut: ["Person"]))
        }
        #expect(throws: (any Error).self) { try club.container.deleteAllRecords(.among(["Team"], allBut: ["Nobody"])) }
        #expect(try club.rawCounts() == "2|1|2|0")
    }

    @Test("all but some: these stay, with their rows put right")
    func allBut() throws {
        try club.container.deleteAllRecords(.allBut(["Tag"]))
        #expect(try club.rawCounts() == "0|0|2|0")
        #expect(try club.fetch("Tag").map { $0.value(forKey: "name") as? String } == ["fast", "young"])
    }

    @Test("all but some: a cascade that would take one of them stops the deletion, and nothing is deleted")
    func keptByCascade() throws {
        let error = #expect(throws: ResetError.self) {
            try club.container.deleteAllRecords(.allBut(["Player"]))
        }
        #expect((error as NSError?)?.code == 134050)
        let reason = try #require(error?.report.stores.first?.failure?.reason)
        #expect(reason.contains("Player is to be kept") && reason.contains("Team/players"))
        #expect(try club.rawCounts() == Club.full)
    }

    @Test(
        "where several rules cascade the error names the one that leads to what is kept",
        arguments: ["players", "favourite"])
    func cascadeIsNamed(_ name: String) throws {
        let model = Club.model()
        let favourite = NSRelationshipDescription()
        favourite.name = "favourite"
        favourite.maxCount = 1
        favourite.isOptional = true
        favourite.destinationEntity = model.entitiesByName["Tag"]
        favourite.deleteRule = .cascadeDeleteRule
        model.entitiesByName["Team"]?.properties.append(favourite)
        let club = try Club(model: model)
        try club.fill()
        let team = try #require(try club.fetch("Team").first)
        team.setValue(try club.fetch("Tag").first, forKey: "favourite")
        try club.context.save()
        let kept = name == "players" ? "Player" : "Tag"
        let error = #expect(throws: ResetError.self) {
            try club.container.deleteAllRecords(.among(["Team"], allBut: [kept]))
        }
        let reason = try #require(error?.report.stores.first?.failure?.reason)
        #expect(reason.contains("\(kept) is to be kept") && reason.contains("Team/\(name)"))
        #expect(try club.rawCounts() == Club.full)
    }

    @Test("all but some: a cascade without records to take does not stop it")
    func keptWithoutRecords() throws {
        try club.container.deleteAllRecords(.only(["Player"]))
        try club.container.deleteAllRecords(.allBut(["Player"]))
        #expect(try club.rawCounts() == "0|0|0|0")
    }

    @Test("a required relationship that would lose its object stops the deletion, named, and nothing is deleted")
    func requiredInverse() throws {
        try addCoach()
        let error = #expect(throws: ResetError.self) { try club.container.deleteAllRecords(.only(["Team"])) }
        let nsError = try #require(error as NSError?)
        #expect(nsError.domain == NSCocoaErrorDomain && nsError.code == 134050)
        #expect(nsError.localizedFailureReason?.contains("Coach/team") == true)
        #expect(try club.rawCounts() == "2|7|2|12")
        #expect(try club.fetch("Team").allSatisfy { !$0.isDeleted })
    }

    @Test("together with those that require them records go in any order")
    func requiredInverseTogether() throws {
        try addCoach()
        try club.container.deleteAllRecords(.only(["Team", "Coach"]))
        #expect(try club.rawCounts() == "0|0|2|0")
        try club.fill()
        try addCoach()
        try club.container.deleteAllRecords()
        #expect(try club.rawCounts() == "0|0|0|0")
    }

    @Test("a name the model does not have is an error, and nothing is deleted", arguments: [true, false])
    func unknownName(_ isOnly: Bool) throws {
        let names: Set<String> = ["Tag", "Tagg"]
        do {
            try club.container.deleteAllRecords(isOnly ? .only(names) : .allBut(names))
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain && error.code == 134060)
            #expect(error.localizedFailureReason?.contains("\"Tagg\"") == true)
        }
        #expect(try club.rawCounts() == Club.full)
    }

    @Test("no entity: nothing happens")
    func none() throws {
        let report = try club.container.deleteAllRecords(.only([]))
        #expect(report.stores.isEmpty && report.recordsDeleted == 0)
        #expect(try club.rawCounts() == Club.full)
    }

    @Test("a container without stores is an error")
    func noStores() throws {
        try club.container.close()
        #expect(throws: (any Error).self) { try club.container.deleteAllRecords() }
    }
}

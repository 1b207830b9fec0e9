import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Objects that belong to no context, and what they need of their model.
@Suite("Objects without a context") struct ObjectWithoutContextTests {
    private func lone(_ entity: String) throws -> NSManagedObject {
        let model = ObjectTestModel.make()
        return NSManagedObject(entity: try #require(model.entitiesByName[entity]), insertInto: nil)
    }

    @Test("they are whole when nobody else holds their model", arguments: ["Person", "Captain"])
    func lifetime(_ entity: String) throws {
        let object = try lone(entity)
        object.setValue("Ann", forKey: "name")
        object.setValue(["x": 1] as NSDictionary, forKey: "tags")
        #expect(object.value(forKey: "name") as? String == "Ann")
        #expect(object.entity.name == entity)
        #expect(object.entity.attributesByName["age"] != nil)
        #expect(object.entity.rootEntity.name == "Person")
        #expect(object.entity.relationshipsByName["team"]?.destinationEntity?.name == "Team")
        #expect(object.objectID.uriRepresentation().absoluteString.contains(entity))
        #expect(object.description.contains("Ann"))
        #expect(object.value(forKey: "team") == nil)
        #expect((object.value(forKey: "friends") as? NSSet)?.count == 0)
    }

    @Test("the model's entities go with the last of them")
    func end() throws {
        weak var entity: NSEntityDescription?
        weak var superentity: NSEntityDescription?
        var first: NSManagedObject? = try lone("Captain")
        entity = first?.entity
        superentity = entity?.superentity
        #expect(entity != nil && superentity != nil)
        first = nil
        #expect(entity == nil && superentity == nil)
    }

    @Test("without such objects the entities go with the model")
    func noObjects() throws {
        weak var entity: NSEntityDescription?
        do {
            let model = ObjectTestModel.make()
            model.freeze()
            entity = model.entitiesByName["Person"]
            #expect(entity != nil)
        }
        #expect(entity == nil)
    }

    @Test("ids that outlive their model can be compared")
    func ids() throws {
        let id = try lone("Captain").objectID
        let other = try lone("Captain").objectID
        #expect(id != other)
        #expect(id.entity.rootEntity.name != nil)
    }
}

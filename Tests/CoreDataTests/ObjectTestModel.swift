import CoreData
import Foundation

/// A model built in code for the tests of objects: persons in teams, with every kind of attribute and relationship.
enum ObjectTestModel {
    static func attribute(
        _ name: String, _ type: NSAttributeType, default value: Any? = nil, isOptional: Bool = true,
        isTransient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.defaultValue = value
        attribute.isOptional = isOptional
        attribute.isTransient = isTransient
        return attribute
    }

    static func toOne(_ name: String, _ destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = 1
        return relationship
    }

    static func toMany(
        _ name: String, _ destination: NSEntityDescription, isOrdered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.isOrdered = isOrdered
        return relationship
    }

    static func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    static func entity(_ name: String, class className: String? = nil) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        if let className { entity.managedObjectClassName = className }
        return entity
    }

    /// - Parameter change: a last change of the entities (by name) before the model is made of them.
    static func make(_ change: ([String: NSEntityDescription]) -> Void = { _ in }) -> NSManagedObjectModel {
        let person = entity("Person")
        let captain = entity("Captain")
        let team = entity("Team")
        let event = entity("Event")
        let group = entity("Group")

        let address = NSCompositeAttributeDescription()
        address.name = "address"
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [attribute("latitude", .doubleAttributeType), attribute("longitude", .doubleAttributeType)]
        address.elements = [attribute("street", .stringAttributeType), place]

        let file = attribute("file", .binaryDataAttributeType)
        file.allowsExternalBinaryDataStorage = true

        let personTeam = toOne("team", team)
        let members = toMany("members", person)
        let spouse = toOne("spouse", person)
        let friends = toMany("friends", person)
        let groups = toMany("groups", group)
        let people = toMany("people", person)
        let mentor = toOne("mentor", person)
        let favourites = toMany("favourites", team)
        let badge = toOne("badge", event)
        let holder = toOne("holder", person)
        join(personTeam, members)
        join(groups, people)
        join(badge, holder)
        spouse.inverseRelationship = spouse
        friends.inverseRelationship = friends

        person.properties = [
            attribute("name", .stringAttributeType),
            attribute("age", .integer32AttributeType, default: 7),
            attribute("small", .integer16AttributeType),
            attribute("big", .integer64AttributeType),
            attribute("score", .doubleAttributeType),
            attribute("ratio", .floatAttributeType),
            attribute("isActive", .booleanAttributeType, default: true),
            attribute("createdAt", .dateAttributeType),
            attribute("uuid", .UUIDAttributeType),
            attribute("price", .decimalAttributeType),
            attribute("photo", .binaryDataAttributeType),
            file,
            attribute("link", .URIAttributeType),
            attribute("tags", .transformableAttributeType),
            attribute("counter", .integer32AttributeType, default: 0, isTransient: true),
            attribute("scratch", .undefinedAttributeType, isTransient: true),
            address, personTeam, spouse, friends, groups, mentor, favourites, badge,
        ]
        captain.properties = [attribute("rank", .integer16AttributeType)]
        person.subentities = [captain]
        let events = toMany("events", event, isOrdered: true)
        let eventTeam = toOne("team", team)
        join(events, eventTeam)
        team.properties = [attribute("name", .stringAttributeType), members, events]
        event.properties = [attribute("title", .stringAttributeType), eventTeam, holder]
        group.properties = [attribute("name", .stringAttributeType), people]

        let entities = [person, captain, team, event, group]
        change(Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0) }))
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

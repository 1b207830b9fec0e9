import CoreData
import Foundation

/// The model of the tests that use several processes: teams with players, whose photos may lie outside of the store, and tags.
package enum LeagueModel: String, Sendable {
    case first = "v1"
    /// Another version. Its tables come in another order, so that each lies where the first version has another one.
    case second = "v2"

    /// A new model every time: one instance serves one coordinator.
    package func make() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let team = Self.entity("Team", [Self.attribute("name", .stringAttributeType)])
        let tag = Self.entity("Tag", [Self.attribute("name", .stringAttributeType)])
        let photo = Self.attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        let player = Self.entity(
            "Player",
            [Self.attribute("name", .stringAttributeType), Self.attribute("rank", .integer64AttributeType), photo])
        Self.relate(
            team, "players", .cascadeDeleteRule, many: true, to: player, "team", .nullifyDeleteRule, many: false)
        Self.relate(team, "tags", .nullifyDeleteRule, many: true, to: tag, "teams", .nullifyDeleteRule, many: true)
        model.entities = [team, player, tag]
        if self == .second {
            player.properties.append(Self.attribute("caps", .integer64AttributeType))
            model.entities.append(Self.entity("Arena", [Self.attribute("name", .stringAttributeType)]))
        }
        return model
    }

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    private static func relate(
        _ one: NSEntityDescription, _ oneName: String, _ oneRule: NSDeleteRule, many oneIsMany: Bool,
        to other: NSEntityDescription, _ otherName: String, _ otherRule: NSDeleteRule, many otherIsMany: Bool
    ) {
        let there = NSRelationshipDescription()
        there.name = oneName
        there.destinationEntity = other
        there.deleteRule = oneRule
        there.maxCount = oneIsMany ? 0 : 1
        let back = NSRelationshipDescription()
        back.name = otherName
        back.destinationEntity = one
        back.deleteRule = otherRule
        back.maxCount = otherIsMany ? 0 : 1
        there.inverseRelationship = back
        back.inverseRelationship = there
        one.properties.append(there)
        other.properties.append(back)
    }
}

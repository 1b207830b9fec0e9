import Foundation

@testable import CoreData

/// The model of the SQL tests: each kind of attribute and relationship once.
enum LibraryModel {
    static func make() -> NSManagedObjectModel {
        let team = entity("Team")
        let person = entity("Person")
        let employee = entity("Employee")
        let tag = entity("Tag")
        let account = entity("Account")
        let playlist = entity("Playlist")
        let song = entity("Song")
        let node = entity("Node")
        let recipe = entity("Recipe")
        let step = entity("Step")
        let folder = entity("Folder")
        let coupon = entity("Coupon")
        let place = entity("Place")
        person.subentities = [employee]

        let photo = attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        person.properties = [
            attribute("name", .stringAttributeType), attribute("age", .integer32AttributeType),
            attribute("score", .doubleAttributeType), attribute("ratio", .floatAttributeType),
            attribute("createdAt", .dateAttributeType), attribute("isActive", .booleanAttributeType),
            attribute("uuid", .UUIDAttributeType), attribute("site", .URIAttributeType),
            attribute("price", .decimalAttributeType), attribute("blob", .binaryDataAttributeType), photo,
            attribute("tint", .transformableAttributeType), transient(attribute("mood", .stringAttributeType)),
        ]
        employee.properties = [attribute("salary", .integer64AttributeType)]
        team.properties = [attribute("name", .stringAttributeType)]
        tag.properties = [attribute("label", .stringAttributeType)]
        account.properties = [attribute("number", .integer64AttributeType)]
        playlist.properties = [attribute("title", .stringAttributeType)]
        song.properties = [attribute("title", .stringAttributeType)]
        node.properties = [attribute("label", .stringAttributeType)]
        recipe.properties = [attribute("title", .stringAttributeType)]
        step.properties = [attribute("text", .stringAttributeType)]
        folder.properties = [attribute("name", .stringAttributeType)]
        let code = attribute("code", .stringAttributeType)
        code.preservesValueInHistoryOnDeletion = true
        coupon.properties = [code, attribute("series", .integer32AttributeType)]
        coupon.uniquenessConstraints = [["code"]]
        let position = NSCompositeAttributeDescription()
        position.name = "position"
        position.elements = [attribute("lat", .doubleAttributeType), attribute("lon", .doubleAttributeType)]
        place.properties = [attribute("name", .stringAttributeType), position]

        join(person, "team", to: team, "persons", .oneToMany)
        join(person, "tags", to: tag, "persons", .manyToMany)
        join(employee, "manager", to: employee, "reports", .oneToMany)
        join(account, "owner", to: person, "accounts", .oneToMany).from.isOptional = false
        join(playlist, "songs", to: song, "playlists", .manyToMany).from.isOrdered = true
        join(song, "album", to: playlist, "tracks", .oneToMany).to.isOrdered = true
        let (parent, children) = join(folder, "parent", to: folder, "children", .oneToMany)
        children.deleteRule = .cascadeDeleteRule
        parent.deleteRule = .nullifyDeleteRule
        let friends = relationship("friends", to: node)
        friends.inverseRelationship = friends
        node.properties.append(friends)
        let steps = relationship("steps", to: step)
        recipe.properties.append(steps)

        let model = NSManagedObjectModel()
        model.entities = [
            team, person, employee, tag, account, playlist, song, node, recipe, step, folder, coupon, place,
        ]
        return model
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    static func transient(_ attribute: NSAttributeDescription) -> NSAttributeDescription {
        attribute.isTransient = true
        return attribute
    }

    enum Kind { case oneToMany, manyToMany, oneToOne }

    static func relationship(_ name: String, to destination: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.isOptional = true
        return relationship
    }

    /// Joins two entities; of a one-to-many pair the first end is the to-one.
    @discardableResult
    static func join(
        _ from: NSEntityDescription, _ name: String, to: NSEntityDescription, _ inverseName: String, _ kind: Kind
    ) -> (from: NSRelationshipDescription, to: NSRelationshipDescription) {
        let relationship = relationship(name, to: to)
        let inverse = Self.relationship(inverseName, to: from)
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        if kind != .manyToMany { relationship.maxCount = 1 }
        if kind == .oneToOne { inverse.maxCount = 1 }
        from.properties.append(relationship)
        to.properties.append(inverse)
        return (relationship, inverse)
    }
}

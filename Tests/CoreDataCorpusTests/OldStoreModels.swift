import CoreData
import Foundation

/// The models of the four stores that hold none, built so that their version hashes are those in the stores' metadata.
enum OldStoreModels {
    static func model(for path: String) -> NSManagedObjectModel? {
        switch (path as NSString).lastPathComponent {
        case "CoreDataBooks.CDBStore": books()
        case "Recipes.sqlite": recipes()
        case "RKSeedDatabase-96fce45.sqlite": tweets("Tweet", "User")
        case "RKSeedDatabase-f6af4cb.sqlite": tweets("RKTStatus", "RKTUser")
        default: nil
        }
    }

    private static func books() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = [
            entity(
                "Book",
                [
                    attribute("title", .stringAttributeType, isOptional: false),
                    attribute("author", .stringAttributeType, isOptional: false),
                    attribute("copyright", .dateAttributeType),
                ])
        ]
        return model
    }

    private static func recipes() -> NSManagedObjectModel {
        let image = entity("Image", [attribute("image", .transformableAttributeType)])
        let ingredient = entity(
            "Ingredient",
            [
                attribute("amount", .stringAttributeType),
                attribute("displayOrder", .integer16AttributeType, isOptional: false),
                attribute("name", .stringAttributeType, isOptional: false),
            ])
        let recipe = entity(
            "Recipe",
            ["instructions", "name", "overview", "prepTime"].map { attribute($0, .stringAttributeType) }
                + [attribute("thumbnailImage", .transformableAttributeType)])
        let type = entity("RecipeType", [attribute("name", .stringAttributeType)])
        toOne(image, "recipe", recipe, "image", 1).isOptional = false
        toOne(ingredient, "recipe", recipe, "ingredients", 0)
        toOne(recipe, "type", type, "recipes", 0)
        let model = NSManagedObjectModel()
        model.entities = [image, ingredient, recipe, type]
        return model
    }

    private static func tweets(_ tweetName: String, _ userName: String) -> NSManagedObjectModel {
        let tweet = entity(
            tweetName,
            [
                attribute("createdAt", .dateAttributeType), attribute("inReplyToScreenName", .stringAttributeType),
                attribute("isFavorited", .booleanAttributeType), attribute("statusID", .integer64AttributeType),
                attribute("text", .stringAttributeType), attribute("urlString", .stringAttributeType),
            ])
        let user = entity(
            userName,
            [
                attribute("name", .stringAttributeType), attribute("screenName", .stringAttributeType),
                attribute("userID", .integer64AttributeType),
            ])
        toOne(tweet, "user", user, "status", 0)
        let model = NSManagedObjectModel()
        model.entities = [tweet, user]
        return model
    }

    private static func entity(_ name: String, _ attributes: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    /// A to-one with minimum count 1, as Xcode made them, and its inverse: to-one (1) or to-many (0).
    @discardableResult
    private static func toOne(
        _ source: NSEntityDescription, _ name: String, _ destination: NSEntityDescription, _ inverseName: String,
        _ inverseCount: Int
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 1
        relationship.maxCount = 1
        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = source
        inverse.minCount = inverseCount
        inverse.maxCount = inverseCount
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        source.properties += [relationship]
        destination.properties += [inverse]
        return relationship
    }
}

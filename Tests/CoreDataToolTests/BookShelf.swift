import CoreData
import Foundation
import TestSupport

@testable import CoreDataTool

/// Books, novels among them, with authors and tags: an attribute of each type, and each kind of relationship.
enum BookShelf {
    static func make() -> NSManagedObjectModel {
        let author = entity("Author", [attribute("name", .stringAttributeType)])
        let tag = entity("Tag", [attribute("text", .stringAttributeType)])
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.elements = [attribute("height", .doubleAttributeType), attribute("width", .doubleAttributeType)]
        let book = entity(
            "Book",
            [
                attribute("title", .stringAttributeType), attribute("price", .decimalAttributeType),
                attribute("pages", .integer32AttributeType), attribute("rating", .floatAttributeType),
                attribute("weight", .doubleAttributeType), attribute("isOut", .booleanAttributeType),
                attribute("published", .dateAttributeType), attribute("code", .UUIDAttributeType),
                attribute("site", .URIAttributeType), attribute("scan", .binaryDataAttributeType), cover, size,
            ])
        let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
        book.subentities = [novel]
        relate(book, "author", author, "books", isPair: false)
        relate(book, "tags", tag, "books", isPair: true)
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, tag]
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
        attribute.isOptional = true
        return attribute
    }

    private static func relate(
        _ entity: NSEntityDescription, _ name: String, _ other: NSEntityDescription, _ inverseName: String, isPair: Bool
    ) {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = other
        relationship.isOptional = true
        relationship.maxCount = isPair ? 0 : 1
        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = entity
        inverse.isOptional = true
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        entity.properties.append(relationship)
        other.properties.append(inverse)
    }

    /// Ann's "Sea" and "Air" (a novel), Bob's "Zoë, \"the\" cat", and a book without anything.
    static func store(in folder: TemporaryDirectory) throws -> URL {
        let url = folder.url("Books.sqlite")
        let container = try OpenedStore.open(url, make(), tracksHistory: false, 5)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValuesForKeys(values)
                return object
            }
            let ann = insert("Author", ["name": "Ann"])
            let bob = insert("Author", ["name": "Bob"])
            let tags = ["old", "blue"].map { insert("Tag", ["text": $0]) }
            try context.save()
            _ = insert(
                "Book",
                [
                    "title": "Sea", "price": Decimal(string: "12.5")!, "pages": 320, "rating": Float(0.1),
                    "weight": 0.25, "isOut": true, "published": Date(timeIntervalSinceReferenceDate: 0),
                    "code": UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!,
                    "site": URL(string: "https://a.org/sea")!, "scan": Data([1, 2, 3]), "cover": Data(count: 2000),
                    "size": ["height": 20.5, "width": 13.0], "author": ann, "tags": Set(tags),
                ])
            try context.save()
            _ = insert(
                "Novel",
                [
                    "title": "Air", "price": Decimal(9), "pages": 90, "isOut": false, "genre": "crime",
                    "published": Date(timeIntervalSinceReferenceDate: 700_000_000.25), "author": ann,
                ])
            try context.save()
            _ = insert("Book", ["title": "Zoë, \"the\" cat\n2", "pages": 90, "author": bob, "tags": Set([tags[0]])])
            try context.save()
            _ = insert("Book", [:])
            try context.save()
        }
        try container.close()
        return url
    }
}

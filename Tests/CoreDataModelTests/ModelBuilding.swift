import CoreData
import Foundation

/// Short forms for models built in code.
func attribute(_ name: String, _ type: NSAttributeDescription.AttributeType = .string) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    return attribute
}

func relationship(_ name: String, to entity: NSEntityDescription?, maxCount: Int = 0) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = entity
    relationship.maxCount = maxCount
    return relationship
}

func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
}

func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}

/// A library: books with authors, and two kinds of book.
struct Library {
    let model = NSManagedObjectModel()
    let book = entity("Book", [attribute("title"), attribute("pageCount", .integer32)])
    let author = entity("Author", [attribute("name")])
    let novel = entity("Novel", [attribute("genre")])
    let atlas = entity("atlas", [attribute("scale", .double)])

    init() {
        let written = relationship("books", to: book)
        let writer = relationship("author", to: author, maxCount: 1)
        written.inverseRelationship = writer
        writer.inverseRelationship = written
        book.properties += [writer]
        author.properties += [written]
        book.subentities = [novel, atlas]
        model.entities = [novel, book, author, atlas]
    }
}

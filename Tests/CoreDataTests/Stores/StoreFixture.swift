import Foundation
import TestSupport

@testable import CoreData

/// A store in a folder of its own, opened through the engine alone.
final class StoreFixture: Sendable {
    let folder: TemporaryDirectory
    let url: URL

    init(_ name: String = "Store.sqlite") throws {
        folder = try TemporaryDirectory()
        url = folder.url(name)
    }

    var path: String { url.path }

    func open(
        _ model: NSManagedObjectModel = SampleModels.library(), configuration: String? = nil,
        _ options: [AnyHashable: Any] = [:]
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            .file(url.path), type: NSSQLiteStoreType, url: url, model: model, configuration: configuration,
            options: options)
    }

    func destroy(_ options: [AnyHashable: Any] = [:]) throws {
        try SQLiteStore.destroy(.file(url.path), url: url, options: options)
    }

    func metadata() throws -> [String: Any] {
        try SQLiteStore.metadata(at: .file(url.path), url: url, options: nil)
    }

    func setMetadata(_ metadata: [String: Any]) throws {
        try SQLiteStore.setMetadata(metadata, at: .file(url.path), url: url, options: nil)
    }

    /// Makes a store and closes it.
    func make(_ model: NSManagedObjectModel = SampleModels.library(), _ options: [AnyHashable: Any] = [:]) throws {
        try open(model, options).close()
    }
}

/// Models built in code.
enum SampleModels {
    /// Author (name, born) ←→> Book (title, price, added, cover); Novel is a Book (genre); Book <<→> Tag.
    static func library() -> NSManagedObjectModel {
        let author = entity("Author", [attribute("name", .stringAttributeType), attribute("born", .dateAttributeType)])
        let book = entity(
            "Book",
            [
                attribute("title", .stringAttributeType), attribute("price", .decimalAttributeType),
                attribute("added", .dateAttributeType), attribute("cover", .binaryDataAttributeType),
                attribute("pages", .integer32AttributeType),
            ])
        let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
        let tag = entity("Tag", [attribute("label", .stringAttributeType)])
        book.subentities = [novel]
        relate(author, "books", 0, book, "author", 1)
        relate(book, "tags", 0, tag, "books", 0)
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, tag]
        return model
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    /// Adds a relationship and its inverse; counts are maximum counts, 1 or 0 for many.
    @discardableResult
    static func relate(
        _ one: NSEntityDescription, _ name: String, _ count: Int, _ other: NSEntityDescription, _ inverse: String,
        _ inverseCount: Int
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let there = NSRelationshipDescription()
        there.name = name
        there.maxCount = count
        there.destinationEntity = other
        let back = NSRelationshipDescription()
        back.name = inverse
        back.maxCount = inverseCount
        back.destinationEntity = one
        there.inverseRelationship = back
        back.inverseRelationship = there
        one.properties += [there]
        other.properties += [back]
        return (there, back)
    }
}

/// The error that a call throws, as an `NSError`.
func error(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}

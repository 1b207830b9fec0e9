import CoreData
import Foundation
import Shelving

/// A book, with a class written by hand ("Manual/None").
open class Book: NSManagedObject {
    public enum Condition: String, Sendable {
        case new, worn
    }

    @NSManaged public var title: String?
    @NSManaged public var isbn: String
    @NSManaged public var pages: Int32
    @NSManaged public var price: NSDecimalNumber?
    @NSManaged public var published: Date?
    @NSManaged public var cover: Data?
    @NSManaged public private(set) var identifier: UUID?
    @NSManaged public var link: URL?
    @NSManaged public var rating: Double
    @NSManaged public var isLent: Bool
    @NSManaged public var shelf: Shelf
    @NSManaged public var condition: Condition?
    @NSManaged public var keywords: [String]?
    @NSManaged public var author: Author?
    @NSManaged public var copies: NSNumber?
    @NSManaged dynamic var note: String?
    @NSManaged fileprivate var primitiveNote: String?

    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> { NSFetchRequest<Book>(entityName: "Book") }

    open override func awakeFromInsert() {
        super.awakeFromInsert()
        identifier = UUID()
    }

    /// Sets the note without the book counting as changed.
    public func jot(_ text: String) { primitiveNote = text }
    public var jotting: String? { note }

    /// Called by `validateValue(_:forKey:)`.
    func validateIsbn(_ value: inout Any?) throws {
        guard let isbn = value as? String else { return }
        if isbn.contains(where: { !$0.isNumber && $0 != "-" }) {
            throw CocoaError(.validationStringPatternMatching)
        }
        value = isbn.filter { $0 != "-" }
    }
}

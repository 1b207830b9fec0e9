import CoreData
import Foundation

extension Book {
    @NSManaged public var tags: Set<Tag>
    @NSManaged public var chapters: NSOrderedSet?
}

extension Book {
    @NSManaged public func addToTags(_ value: Tag)
    @NSManaged public func removeFromTags(_ value: Tag)
    @NSManaged public func addToTags(_ values: NSSet)
    @NSManaged public func removeFromTags(_ values: NSSet)
}

extension Book {
    @NSManaged public func insertIntoChapters(_ value: Chapter, at idx: Int)
    @NSManaged public func removeFromChapters(at idx: Int)
    @NSManaged public func addToChapters(_ value: Chapter)
}

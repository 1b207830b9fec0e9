import CoreData

/// A class of the program itself, with a model of its own.
final class Desk: NSManagedObject {
    @NSManaged var label: String?
}

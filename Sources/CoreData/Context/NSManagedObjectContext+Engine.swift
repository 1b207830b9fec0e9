import Foundation

// What objects need of their context besides inserting, firing and tracking.
extension NSManagedObjectContext {
    /// The model of the context's coordinator.
    var model: NSManagedObjectModel? { index?.model }
}

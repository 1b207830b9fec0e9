import Foundation

/// What an object holds of its context: the context while it lives. One instance a context, so that an object costs one strong
/// reference to it, and all objects lose their context at once when it goes or is reset.
final class ContextLink: @unchecked Sendable {
    private(set) weak var context: NSManagedObjectContext?
    /// Whether the row at hand of a fault will do, as long as nobody wrote to its store (`stalenessInterval` is negative).
    @exclusivity(unchecked) var usesRowsAtHand = true
    /// Objects that outlive their context and its coordinator still have an entity.
    private(set) var model: NSManagedObjectModel?

    init(_ context: NSManagedObjectContext?, _ model: NSManagedObjectModel? = nil) {
        self.context = context
        self.model = model
    }

    /// For a context that is being made, or gets its coordinator: called before the link is handed out to objects.
    func attach(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel?) {
        self.context = context
        self.model = model
    }

    /// Cuts all objects of the link off their context.
    func sever() { context = nil }

    /// The link of objects that never belonged to a context.
    static let detached = ContextLink(nil)
}

import Foundation

/// What an object holds of its context: the context while it lives. One instance a context, so that an object costs one strong
/// reference to it, and all objects lose their context at once when it goes or is reset.
final class ContextLink: @unchecked Sendable {
    private(set) weak var context: NSManagedObjectContext?

    init(_ context: NSManagedObjectContext?) { self.context = context }

    /// For a context that is being made: called once, before the link is handed out.
    func attach(_ context: NSManagedObjectContext) { self.context = context }

    /// Cuts all objects of the link off their context.
    func sever() { context = nil }

    /// The link of objects that belong to no context.
    static let detached = ContextLink(nil)
}

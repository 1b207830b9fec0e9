import CoreData
import Foundation

/// Keeps contexts for the calling thread while something is done that none of their blocks may see half of.
enum ContextHold {
    /// Waits until the contexts are free, and runs the body while the calling thread is inside them all, or inside those that
    /// are free when the deadline has passed.
    ///
    /// No context is kept while another one is waited for: the block that it is busy with may need the first.
    ///
    /// - Parameter body: gets the contexts that are held.
    static func holding<Value>(
        _ contexts: [NSManagedObjectContext], until deadline: Date,
        _ body: ([NSManagedObjectContext]) -> Value
    ) -> Value {
        let contexts = contexts.filter(\.canBeHeld)
        while Date() < deadline {
            switch attempt(contexts[...], [], body) {
            case .done(let value): return value
            case .busy(let context): _ = context.runIfFree(until: deadline) {}
            }
        }
        return holdingFree(contexts[...], [], body)
    }

    private enum Attempt<Value> {
        case done(Value)
        case busy(NSManagedObjectContext)
    }

    private static func attempt<Value>(
        _ next: ArraySlice<NSManagedObjectContext>, _ held: [NSManagedObjectContext],
        _ body: ([NSManagedObjectContext]) -> Value
    ) -> Attempt<Value> {
        guard let context = next.first else { return .done(body(held)) }
        var result = Attempt<Value>.busy(context)
        _ = context.runIfFree { result = attempt(next.dropFirst(), held + [context], body) }
        return result
    }

    private static func holdingFree<Value>(
        _ next: ArraySlice<NSManagedObjectContext>, _ held: [NSManagedObjectContext],
        _ body: ([NSManagedObjectContext]) -> Value
    ) -> Value {
        guard let context = next.first else { return body(held) }
        var result: Value?
        _ = context.runIfFree { result = holdingFree(next.dropFirst(), held + [context], body) }
        return result ?? holdingFree(next.dropFirst(), held, body)
    }
}

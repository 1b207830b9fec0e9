import Foundation
import FoundationBackfill

/// Evaluates the fetch-request expressions of one predicate before a store is given it: a store knows no other context.
final class FetchEvaluation: @unchecked Sendable {
    /// Whether the predicate has any.
    private(set) var isNeeded = false
    private(set) var error: (any Error)?
    private unowned let outer: NSManagedObjectContext

    init(_ outer: NSManagedObjectContext) { self.outer = outer }

    /// Ids for objects, the values of a dictionary fetch of one column, or a number.
    @Sendable
    func value(_ request: NSExpression, _ context: NSExpression, _ countOnly: Bool) -> Any? {
        guard error == nil, let request = request.expressionValue(with: nil, context: nil),
            let context = context.expressionValue(with: nil, context: nil) as? NSManagedObjectContext,
            !isLeftToTheStore(request, context, countOnly)
        else { return nil }
        isNeeded = true
        do {
            let value = try context.evaluateFetch(request, countOnly: countOnly)
            guard let results = value as? [AnyObject] else { return value }
            return results.map(Self.constant)
        } catch {
            self.error = error
            return nil
        }
    }

    /// Whether the one store there is can evaluate it as part of the statement, with the same result: nothing is unsaved.
    private func isLeftToTheStore(_ request: Any, _ context: NSManagedObjectContext, _ countOnly: Bool) -> Bool {
        guard context === outer, !context.hasChanges, context.persistentStoreCoordinator?.persistentStores.count == 1,
            let request = request as? any FetchRequestCarrier & NSPersistentStoreRequest,
            request.affectedStores == nil
        else { return false }
        let facts = request.facts
        guard
            countOnly || facts.resultType == .managedObjectResultType || facts.resultType == .managedObjectIDResultType
        else { return false }
        guard let predicate = facts.predicate else { return true }
        return NSManagedObjectContext.idsForObjects.replaced(in: predicate) === predicate
    }

    private static func constant(_ result: AnyObject) -> Any {
        switch result {
        case let object as NSManagedObject: object.objectID
        case let row as NSDictionary where row.count <= 1: row.allValues.first ?? NSNull()
        default: result
        }
    }
}

extension NSManagedObjectContext: FetchExpressionContext {
    /// The result of a fetch request that stands in an expression, fetched in this context.
    package nonisolated func evaluateFetch(_ request: Any, countOnly: Bool) throws -> Any {
        guard let fetch = request as? any FetchRequestCarrier, let request = request as? NSPersistentStoreRequest else {
            throw SQLRequestError.refused("FETCH: a \(type(of: request)) is no fetch request.")
        }
        return try performAndWait { () throws -> Any in
            if countOnly { return NSNumber(value: try count(fetch.facts, request.affectedStores)) }
            return try executeFetch(fetch.facts, request.affectedStores)
        }
    }
}

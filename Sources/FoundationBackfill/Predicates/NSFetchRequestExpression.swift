import Foundation

/// The type of a fetch-request expression among the expression types.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// An expression whose value is the result of a fetch: an array of results, or their number.
///
/// In a format: `FETCH(request, context, countOnly)`.
public final class NSFetchRequestExpression: NSExpression {
    /// Evaluates to the fetch request.
    public let requestExpression: NSExpression
    /// Evaluates to the managed object context.
    public let contextExpression: NSExpression
    /// Whether only the number of results is wanted.
    public let isCountOnlyRequest: Bool

    init(request: NSExpression, context: NSExpression, countOnly: Bool) {
        requestExpression = request
        contextExpression = context
        isCountOnlyRequest = countOnly
        super.init(node: .fetch(request: request, context: context, countOnly: countOnly))
    }

    /// The expression that executes a fetch request in a context.
    public class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(request: fetch, context: context, countOnly: countFlag)
    }
}

/// What the context of a fetch-request expression can do; managed object contexts adopt it.
package protocol FetchExpressionContext: AnyObject {
    /// The results of a fetch request (an array), or their number.
    func evaluateFetch(_ request: Any, countOnly: Bool) throws -> Any
}

import Foundation

extension NSFetchRequest {
    /// What dictionary results are grouped by: property descriptions, names, key paths over to-one relationships, or
    /// `NSExpressionDescription`s. Each column must be among them or be an aggregate.
    ///
    ///     let count = NSExpressionDescription()
    ///     count.name = "count"
    ///     count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
    ///     request.resultType = .dictionaryResultType
    ///     request.propertiesToFetch = ["author.name", count]
    ///     request.propertiesToGroupBy = ["author.name"]
    public final var propertiesToGroupBy: [Any]? {
        get { facts.propertiesToGroupBy }
        set { facts.propertiesToGroupBy = newValue }
    }

    /// Which groups are kept. Grouped properties are named by key path, computed columns as variables, as on Apple's platforms:
    ///
    ///     request.havingPredicate = NSPredicate(format: "$count > 1")
    public final var havingPredicate: NSPredicate? {
        get { facts.havingPredicate }
        set { facts.havingPredicate = newValue }
    }
}

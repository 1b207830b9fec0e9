import FoundationBackfill

// Linux's Foundation declares these names too (and can make neither): a module that names the types says which it means.
typealias NSExpression = FoundationBackfill.NSExpression
typealias NSComparisonPredicate = FoundationBackfill.NSComparisonPredicate

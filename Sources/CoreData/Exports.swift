@_exported import Foundation
@_exported import FoundationBackfill

// Linux's Foundation declares these names as well but can make no instance. A client's module that names the types says
// `typealias NSExpression = CoreData.NSExpression` once; making one needs nothing.

/// One operand of a predicate, or a value computed for a record.
public typealias NSExpression = FoundationBackfill.NSExpression

/// A predicate that compares the values of two expressions.
public typealias NSComparisonPredicate = FoundationBackfill.NSComparisonPredicate

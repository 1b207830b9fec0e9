import CoreData

/// Foundation has types of these names that cannot be made on Linux.
typealias NSExpression = CoreData.NSExpression
typealias NSComparisonPredicate = CoreData.NSComparisonPredicate

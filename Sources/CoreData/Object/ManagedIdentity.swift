import Foundation

// To a predicate an object and its id are the record they stand for, whichever context the object is of.

extension NSManagedObject: PredicateComparable {
    package nonisolated var predicateIdentity: AnyHashable { AnyHashable(objectID) }
}

extension NSManagedObjectID: PredicateComparable {
    package nonisolated var predicateIdentity: AnyHashable { AnyHashable(self) }
}

import Foundation

/// The five ways to decide where somebody else changed the records that a context saves.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property; where both changed one, the stored value wins.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; where both changed one, the value in memory wins.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The whole object as it is in memory is written.
    case overwriteMergePolicyType = 3
    /// The changes in memory are given up.
    case rollbackMergePolicyType = 4
}

/// Decides where somebody else changed the records that a context saves, or where records break a uniqueness constraint.
///
/// A subclass overrides the resolving methods, calls `super` and then changes the objects as it likes: what the objects hold
/// when the method returns is saved. An error it throws comes out of `save()`.
///
/// Where the record was deleted by somebody, the deletion stands under every policy but two: the error policy fails, and the
/// overwriting policy inserts the record again.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// How this policy decides.
    public final let mergeType: NSMergePolicyType

    /// A policy of the type.
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    /// The save fails with 133020 or 133021; every context has this policy unless another is set.
    public class var error: NSMergePolicy { shared[0] }
    /// Property by property; where both changed one, the stored value wins.
    public class var mergeByPropertyStoreTrump: NSMergePolicy { shared[1] }
    /// Property by property; where both changed one, the value in memory wins.
    public class var mergeByPropertyObjectTrump: NSMergePolicy { shared[2] }
    /// The whole object as it is in memory is written.
    public class var overwrite: NSMergePolicy { shared[3] }
    /// The changes in memory are given up.
    public class var rollback: NSMergePolicy { shared[4] }

    private static let shared = [
        NSMergePolicy(merge: .errorMergePolicyType),
        NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType),
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType),
        NSMergePolicy(merge: .overwriteMergePolicyType),
        NSMergePolicy(merge: .rollbackMergePolicyType),
    ]

    /// Resolves conflicts of both kinds (`NSMergeConflict`, `NSConstraintConflict`): first those of versions, then those of
    /// constraints.
    ///
    /// - Throws: `NSError` where the policy cannot or may not decide.
    open func resolve(mergeConflicts list: [Any]) throws {
        let versions = list.compactMap { $0 as? NSMergeConflict }
        if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with records that were changed since they were read.
    ///
    /// - Throws: for the error policy `NSError`, `NSCocoaErrorDomain` 133020, with the conflicts under `"conflictList"`.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType {
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSManagedObjectMergeError,
                userInfo: [
                    NSLocalizedDescriptionKey: "Could not merge changes.",
                    NSLocalizedFailureReasonErrorKey:
                        "Records were changed by somebody else since they were read: "
                        + list.prefix(3).map(\.sourceName).joined(separator: ", ") + (list.count > 3 ? ", …" : ""),
                    NSPersistentStoreSaveConflictsErrorKey: list,
                ])
        }
        for conflict in list { conflict.sourceObject.link.context?.settle(conflict, mergeType) }
    }

    /// Resolves conflicts with uniqueness constraints.
    ///
    /// - Throws: for the error policy `NSError`, `NSCocoaErrorDomain` 133021, with the conflicts under `"conflictList"`.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType {
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSManagedObjectConstraintMergeError,
                userInfo: [
                    NSLocalizedDescriptionKey: "Could not merge changes.",
                    NSLocalizedFailureReasonErrorKey:
                        "Records break a uniqueness constraint: "
                        + list.prefix(3).map { $0.constraint.joined(separator: ",") }.joined(separator: "; "),
                    NSPersistentStoreSaveConflictsErrorKey: list,
                ])
        }
        for conflict in list { conflict.conflictingObjects.first?.link.context?.settle(conflict, mergeType) }
    }
}

/// `NSMergePolicy.error`.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// `NSMergePolicy.mergeByPropertyStoreTrump`.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// `NSMergePolicy.mergeByPropertyObjectTrump`.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// `NSMergePolicy.overwrite`.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// `NSMergePolicy.rollback`.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

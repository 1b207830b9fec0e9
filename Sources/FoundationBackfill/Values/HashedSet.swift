import Foundation

/// A set of values: an `NSSet`, or a Swift set if decimals are among them.
///
/// On Linux, hashing an `NSDecimalNumber` runs into endless recursion, and an `NSSet` makes one of each `Decimal`.
func hashedSet(of members: [Any]) -> Any {
    guard containsDecimals(members) else { return NSSet(array: members) }
    return Set(members.compactMap { (($0 as? NSDecimalNumber)?.decimalValue ?? $0) as? AnyHashable })
}

/// Whether values cannot go into one of Foundation's sets.
func containsDecimals(_ members: [Any]) -> Bool {
    members.contains { $0 is Decimal || $0 is NSDecimalNumber || $0 is Set<AnyHashable> && !($0 is NSSet) }
}

import Foundation

/// A property whose value is the result of a fetch request. It is neither stored nor part of the version hash.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// A changeable copy that belongs to no entity.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchedPropertyDescription()
        copyDefinition(to: copy)
        return copy
    }
}

import Foundation

/// An attribute whose value the store computes from others when it saves.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// A changeable copy that belongs to no entity.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSDerivedAttributeDescription()
        copyAttributeDefinition(to: copy)
        return copy
    }
}

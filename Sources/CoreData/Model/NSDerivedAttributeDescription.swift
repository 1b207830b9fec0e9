import Foundation

/// An attribute whose value the store computes from others when it saves.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// What the value is computed from: a key path (`author.name`), a function of one (`canonical:(name)`), a collection
    /// operator at the end of a to-many's key path (`pages.@count`), or `now()`.
    open var derivationExpression: NSExpression? {
        willSet { requireMutable("derivationExpression") }
    }

    /// A changeable copy that belongs to no entity.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSDerivedAttributeDescription()
        copyAttributeDefinition(to: copy)
        copy.derivationExpression = derivationExpression
        return copy
    }

    override func computeVersionHash() -> Data {
        derivedVersionHash()
    }
}

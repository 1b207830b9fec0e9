import Foundation

/// An attribute made of other attributes. Its value is a dictionary by element name; composites may nest.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The attributes the composite is made of.
    open var elements: [NSAttributeDescription] = [] {
        willSet { requireMutable("elements") }
    }

    /// A composite without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// A changeable copy with copies of its elements.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSCompositeAttributeDescription()
        copyAttributeDefinition(to: copy)
        copy.elements = elements.compactMap { $0.copy(with: zone) as? NSAttributeDescription }
        return copy
    }

    override func computeVersionHash() -> Data {
        compositeVersionHash()
    }
}

extension NSCompositeAttributeDescription {
    /// The elements, those of nested composites included.
    final var allElements: [NSAttributeDescription] {
        elements.flatMap { element in
            [element] + ((element as? NSCompositeAttributeDescription)?.allElements ?? [])
        }
    }
}

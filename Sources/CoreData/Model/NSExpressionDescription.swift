import Foundation

/// A computed column of a dictionary fetch, or the key of a fetch index. Never a property of an entity.
///
/// Unchecked `Sendable` for the reason given at ``NSPropertyDescription``.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// What is computed.
    open var expression: NSExpression? {
        willSet { requireMutable("expression") }
    }

    /// The type of the result; undefined until set.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType {
        willSet { requireMutable("expressionResultType") }
    }

    /// The type of the result, in its Swift form.
    public final var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    /// A changeable copy.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSExpressionDescription()
        copyDefinition(to: copy)
        copy.expression = expression
        copy.expressionResultType = expressionResultType
        return copy
    }
}

import Foundation

extension NSPredicate {
    /// This predicate with other parts in the place of its own; itself if all stay the same.
    package func replacingParts(
        _ expression: (NSExpression) -> NSExpression, _ predicate: (NSPredicate) -> NSPredicate
    ) -> NSPredicate {
        switch form {
        case .constant, .opaque: return self
        case .comparison(let comparison):
            let (left, right) = (comparison.leftExpression, comparison.rightExpression)
            let (newLeft, newRight) = (expression(left), expression(right))
            return newLeft === left && newRight === right ? self : comparison.comparing(newLeft, newRight)
        case .compound(let type, let members):
            let new = members.map(predicate)
            return areIdentical(members, new) ? self : NSPredicate.compound(type, new)
        }
    }
}

extension NSExpression {
    /// This expression with other parts in the place of its own; itself if all stay the same.
    package func replacingParts(
        _ expression: (NSExpression) -> NSExpression, _ predicate: (NSPredicate) -> NSPredicate
    ) -> NSExpression {
        switch node {
        case .constant, .evaluatedObject, .variable, .anyKey, .custom, .keyPath(_, operand: nil): return self
        case .keyPath(let path, let operand?):
            let new = expression(operand)
            return new === operand ? self : NSExpression(node: .keyPath(path, operand: new))
        case .function(let name, let operand, let arguments):
            let newOperand = operand.map(expression)
            let new = arguments.map(expression)
            if newOperand === operand, areIdentical(arguments, new) { return self }
            return NSExpression(node: .function(name, operand: newOperand, arguments: new))
        case .set(let operation, let left, let right):
            let (newLeft, newRight) = (expression(left), expression(right))
            return newLeft === left && newRight === right
                ? self : NSExpression(node: .set(operation, newLeft, newRight))
        case .subquery(let collection, let variable, let test):
            let newCollection = expression(collection)
            let new = predicate(test)
            return newCollection === collection && new === test
                ? self : NSExpression(node: .subquery(newCollection, variable: variable, predicate: new))
        case .aggregate(let members):
            let new = members.map(expression)
            return areIdentical(members, new) ? self : NSExpression(node: .aggregate(new))
        case .block(let block, let arguments):
            let new = arguments.map(expression)
            return areIdentical(arguments, new) ? self : NSExpression(node: .block(block, arguments: new))
        case .conditional(let test, let first, let second):
            let new = predicate(test)
            let (newFirst, newSecond) = (expression(first), expression(second))
            return new === test && newFirst === first && newSecond === second
                ? self : NSExpression(node: .conditional(new, newFirst, newSecond))
        case .fetch(let request, let context, let countOnly):
            let (newRequest, newContext) = (expression(request), expression(context))
            return newRequest === request && newContext === context
                ? self : NSFetchRequestExpression(request: newRequest, context: newContext, countOnly: countOnly)
        }
    }
}

private func areIdentical<Part: AnyObject>(_ a: [Part], _ b: [Part]) -> Bool {
    zip(a, b).allSatisfy { $0 === $1 }
}

import Foundation

extension NSPredicate {
    /// The predicate with variables replaced by values (or expressions); variables without a value stay.
    ///
    ///     let template = NSPredicate(format: "age > $AGE")
    ///     template.withSubstitutionVariables(["AGE": 18])     // age > 18
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        substituting(variables) as? Self ?? self
    }

    /// Lets a predicate that came out of an archive be evaluated. Needed on Apple's platforms; does nothing here.
    public func allowEvaluation() {}

    /// The names of the variables that have no value yet, without `$`. The iterator of a subquery is none.
    package var freeVariables: Set<String> {
        var names: Set<String> = []
        collectVariables(except: [], into: &names)
        return names
    }

    fileprivate func substituting(_ variables: [String: Any]) -> NSPredicate {
        if variables.isEmpty { return self }
        switch form {
        case .constant:
            return self
        case .comparison(let comparison):
            let left = comparison.leftExpression.substituting(variables)
            let right = comparison.rightExpression.substituting(variables)
            // A client's subclass is kept as long as nothing changes in it.
            if left === comparison.leftExpression, right === comparison.rightExpression { return self }
            return comparison.comparing(left, right)
        case .compound(let type, let members):
            return CompoundPredicate(type: type, subpredicates: members.map { $0.substituting(variables) })
        case .opaque:
            guard Swift.type(of: self) == NSPredicate.self else { return self }
            return NSPredicate { object, bindings in
                let all = variables.merging(bindings ?? [:]) { $1 }
                return self.evaluate(with: object, substitutionVariables: all)
            }
        }
    }

    fileprivate func collectVariables(except bound: Set<String>, into names: inout Set<String>) {
        switch form {
        case .constant, .opaque: break
        case .comparison(let comparison):
            comparison.leftExpression.collectVariables(except: bound, into: &names)
            comparison.rightExpression.collectVariables(except: bound, into: &names)
        case .compound(_, let members):
            for member in members { member.collectVariables(except: bound, into: &names) }
        }
    }
}

extension NSExpression {
    /// Lets an expression that came out of an archive be evaluated. Needed on Apple's platforms; does nothing here.
    public func allowEvaluation() {}

    /// The expression with variables replaced; itself if it names none of them.
    fileprivate func substituting(_ variables: [String: Any]) -> NSExpression {
        switch node {
        case .constant, .evaluatedObject, .anyKey, .custom, .keyPath(_, nil):
            return self
        case .variable(let name):
            return variables[name].map(NSExpression.wrapping) ?? self
        case .keyPath(let path, let operand?):
            let changed = operand.substituting(variables)
            return changed === operand ? self : NSExpression(node: .keyPath(path, operand: changed))
        case .function(let name, let operand, let arguments):
            return NSExpression(
                node: .function(
                    name, operand: operand?.substituting(variables),
                    arguments: arguments.map { $0.substituting(variables) }))
        case .set(let operation, let left, let right):
            return NSExpression(node: .set(operation, left.substituting(variables), right.substituting(variables)))
        case .subquery(let collection, let variable, let predicate):
            var inner = variables
            inner[variable] = nil
            return NSExpression(
                node: .subquery(
                    collection.substituting(variables), variable: variable, predicate: predicate.substituting(inner)))
        case .aggregate(let members):
            return NSExpression(node: .aggregate(members.map { $0.substituting(variables) }))
        case .block(let block, let arguments):
            return NSExpression(node: .block(block, arguments: arguments.map { $0.substituting(variables) }))
        case .conditional(let predicate, let first, let second):
            return NSExpression(
                node: .conditional(
                    predicate.substituting(variables), first.substituting(variables), second.substituting(variables)))
        case .fetch(let request, let context, let countOnly):
            return NSFetchRequestExpression(
                request: request.substituting(variables), context: context.substituting(variables),
                countOnly: countOnly)
        }
    }

    fileprivate func collectVariables(except bound: Set<String>, into names: inout Set<String>) {
        switch node {
        case .constant, .evaluatedObject, .anyKey, .custom: break
        case .variable(let name):
            if !bound.contains(name) { names.insert(name) }
        case .keyPath(_, let operand): operand?.collectVariables(except: bound, into: &names)
        case .function(_, let operand, let arguments):
            operand?.collectVariables(except: bound, into: &names)
            for argument in arguments { argument.collectVariables(except: bound, into: &names) }
        case .set(_, let left, let right):
            left.collectVariables(except: bound, into: &names)
            right.collectVariables(except: bound, into: &names)
        case .subquery(let collection, let variable, let predicate):
            collection.collectVariables(except: bound, into: &names)
            predicate.collectVariables(except: bound.union([variable]), into: &names)
        case .aggregate(let members), .block(_, let members):
            for member in members { member.collectVariables(except: bound, into: &names) }
        case .conditional(let predicate, let first, let second):
            predicate.collectVariables(except: bound, into: &names)
            first.collectVariables(except: bound, into: &names)
            second.collectVariables(except: bound, into: &names)
        case .fetch(let request, let context, _):
            request.collectVariables(except: bound, into: &names)
            context.collectVariables(except: bound, into: &names)
        }
    }
}

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
        if case .opaque = form, Swift.type(of: self) == NSPredicate.self {
            return NSPredicate { object, bindings in
                let all = variables.merging(bindings ?? [:]) { $1 }
                return self.evaluate(with: object, substitutionVariables: all)
            }
        }
        return replacingParts({ $0.substituting(variables) }, { $0.substituting(variables) })
    }

    fileprivate func collectVariables(except bound: Set<String>, into names: inout Set<String>) {
        _ = replacingParts(
            {
                $0.collectVariables(except: bound, into: &names)
                return $0
            },
            {
                $0.collectVariables(except: bound, into: &names)
                return $0
            })
    }
}

extension NSExpression {
    /// Lets an expression that came out of an archive be evaluated. Needed on Apple's platforms; does nothing here.
    public func allowEvaluation() {}

    /// The expression with variables replaced; itself if it names none of them.
    fileprivate func substituting(_ variables: [String: Any]) -> NSExpression {
        if case .variable(let name) = node { return variables[name].map(NSExpression.wrapping) ?? self }
        var inner = variables
        if let iterator { inner[iterator] = nil }
        return replacingParts({ $0.substituting(variables) }, { $0.substituting(inner) })
    }

    fileprivate func collectVariables(except bound: Set<String>, into names: inout Set<String>) {
        if case .variable(let name) = node, !bound.contains(name) { names.insert(name) }
        let inner = iterator.map { bound.union([$0]) } ?? bound
        _ = replacingParts(
            {
                $0.collectVariables(except: bound, into: &names)
                return $0
            },
            {
                $0.collectVariables(except: inner, into: &names)
                return $0
            })
    }

    /// The variable that the predicate of a subquery knows.
    private var iterator: String? {
        if case .subquery(_, let variable, _) = node { variable } else { nil }
    }
}

import Foundation

extension NSExpression {
    /// The expression as Apple keeps it for a derived attribute: a key path that ends in a collection operator is the
    /// call of a function.
    ///
    /// `pages.@count` is `count:(pages)`; the description of the result goes into the attribute's version hash. Anything
    /// else stays as it is.
    package var asDerivation: NSExpression {
        guard case .keyPath(let path, nil) = node, let dot = path.lastIndex(of: ".") else { return self }
        let function: PredefinedFunction
        switch path[path.index(after: dot)...] {
        case "@count": function = .count
        case "@sum": function = .sum
        case "@avg": function = .average
        case "@min": function = .min
        case "@max": function = .max
        default: return self
        }
        return NSExpression(function, [NSExpression(forKeyPath: String(path[..<dot]))])
    }

    /// The expression of a derived attribute from its text in a model. Throws ``PredicateFormatError``.
    package static func derivation(format: String) throws -> NSExpression {
        try parse(format: format).asDerivation
    }
}

import Foundation

/// The values of the variables of a predicate while it is evaluated.
package struct Bindings {
    /// By name, without `$`.
    package private(set) var variables: [String: Any]

    package init(variables: [String: Any] = [:]) {
        self.variables = variables
    }

    init(context: NSMutableDictionary?) {
        variables = [:]
        guard let context else { return }
        for (key, value) in context {
            if let name = key as? String { variables[name] = value }
        }
    }

    func binding(_ name: String, to value: Any) -> Bindings {
        var copy = self
        copy.variables[name] = value
        return copy
    }

    /// For the closure of a block expression.
    var context: NSMutableDictionary? {
        guard !variables.isEmpty else { return nil }
        let context = NSMutableDictionary()
        for (name, value) in variables { context[name] = value }
        return context
    }
}

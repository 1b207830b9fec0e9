/// The class of an entity, by the name in the model: `Book`, `.Book` (in the module of the model), `Module.Book`, or with the names
/// of the types around it.
struct ClassName: Hashable {
    /// The names of the types around the class, and its own.
    let path: [String]
    /// The module, if the model names one that is not the module of the model.
    let module: String?

    /// The class in Swift.
    var written: String { path.map(SwiftName.written).joined(separator: ".") }
    /// For names of files.
    var plain: String { path.joined(separator: ".") }

    /// - Parameters:
    ///   - module: the module of the model, if it is known.
    ///   - classes: the names of the model without a dot: a name in a class of these is no name in a module.
    init?(_ text: String, module: String?, classes: Set<String>) {
        var path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var foreign: String?
        if path.first == "" {
            path.removeFirst()
        } else if path.count > 1, path[0] == module || !classes.contains(path[0]) {
            foreign = path[0] == module ? nil : path[0]
            path.removeFirst()
        }
        guard !path.isEmpty, path.allSatisfy(SwiftName.isIdentifier),
            foreign.map(SwiftName.isIdentifier) ?? true
        else { return nil }
        self.path = path
        self.module = foreign
    }
}

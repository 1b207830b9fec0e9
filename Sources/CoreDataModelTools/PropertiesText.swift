/// The names of the types that generated code uses besides those of properties, with their modules where classes of the model have
/// the same names.
struct TypeNames: Sendable {
    let managedObject: String
    let fetchRequest: String
    let identifiable: String
    let int: String
    let indexSet: String
    let set: String
    let orderedSet: String
}

/// The code of a class' properties.
struct PropertiesText {
    private let type: GeneratedClass
    private let names: TypeNames
    private let properties: [GeneratedProperty]

    init(_ type: GeneratedClass, _ names: TypeNames) {
        self.type = type
        self.names = names
        properties = type.properties.filter(\.isGenerated)
    }

    var text: String {
        var parts: [String] = []
        if let entityName = type.fetchedEntityName { parts.append(fetchRequest(entityName)) }
        parts += properties.map(property)
        if !properties.isEmpty { parts.append(storage) }
        var text = "nonisolated extension \(type.name) {\n\n" + parts.joined(separator: "\n") + "\n}\n"
        for property in properties {
            if case .toMany(let element, let isOrdered) = property.kind {
                text += "\n" + accessors(property, element, isOrdered: isOrdered)
            }
        }
        if type.isIdentifiable { text += "\nnonisolated extension \(type.name): \(names.identifiable) {\n\n}\n" }
        return text
    }

    private func fetchRequest(_ entityName: String) -> String {
        """
            public class func fetchRequest() -> \(names.fetchRequest)<\(type.name)> {
                return \(names.fetchRequest)<\(type.name)>(entityName: \(SwiftName.literal(entityName)))
            }

        """
    }

    /// How the code calls the property's description.
    private func description(_ property: GeneratedProperty) -> String { "_Properties.\(property.swiftName)" }

    private func property(_ property: GeneratedProperty) -> String {
        let name = description(property)
        if property.kind == .fetched {
            return """
                    public var \(property.swiftName): \(property.type) {
                        _getValue(\(name)) ?? []
                    }

                """
        }
        let suffix = property.hasTypedAccessors ? "" : "Value"
        return """
                public var \(property.swiftName): \(property.type) {
                    get { _get\(suffix)(\(name)) }
                    set { _set\(suffix)(\(name), newValue) }
                }

            """
    }

    private var storage: String {
        let lines = properties.map {
            "        static let \($0.swiftName) = _ManagedProperty(\(SwiftName.literal($0.name)))\n"
        }
        return "    private nonisolated enum _Properties {\n" + lines.joined() + "    }\n"
    }

    private func accessors(_ property: GeneratedProperty, _ element: String, isOrdered: Bool) -> String {
        let stem = property.accessorStem
        let name = description(property)
        let set = isOrdered ? names.orderedSet : names.set
        var methods: [(String, String)] = []
        if isOrdered {
            methods = [
                ("insertInto\(stem)(_ value: \(element), at idx: \(names.int))", "_insert(\(name), value, at: idx)"),
                ("removeFrom\(stem)(at idx: \(names.int))", "_remove(\(name), at: idx)"),
                (
                    "insertInto\(stem)(_ values: [\(element)], at indexes: \(names.indexSet))",
                    "_insert(\(name), values, at: indexes)"
                ),
                ("removeFrom\(stem)(at indexes: \(names.indexSet))", "_remove(\(name), at: indexes)"),
                (
                    "replace\(stem)(at idx: \(names.int), with value: \(element))",
                    "_replace(\(name), at: idx, with: value)"
                ),
                (
                    "replace\(stem)(at indexes: \(names.indexSet), with values: [\(element)])",
                    "_replace(\(name), at: indexes, with: values)"
                ),
            ]
        }
        methods += [
            ("addTo\(stem)(_ value: \(element))", "_add(\(name), value)"),
            ("removeFrom\(stem)(_ value: \(element))", "_remove(\(name), value)"),
            ("addTo\(stem)(_ values: \(set))", "_add(\(name), values)"),
            ("removeFrom\(stem)(_ values: \(set))", "_remove(\(name), values)"),
        ]
        let text = methods.map { "    public func \($0) {\n        \($1)\n    }\n\n" }
        return "// MARK: Generated accessors for \(property.name)\nnonisolated extension \(type.name) {\n\n"
            + text.joined()
            + "}\n"
    }
}

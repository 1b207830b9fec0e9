/// What an `@NSManaged` method of a to-many relationship does, as its name says.
///
/// On Apple's platforms the names for Objective-C count (`@objc(addBooksObject:)`); Swift on Linux has none, so the Swift names that
/// Xcode gives the methods do, those of former versions too.
struct ToManyMethod {
    enum Action { case add, remove, insert, removeAt, replace }

    let action: Action
    /// The name of the relationship with its first letter as in the method.
    let stem: String

    private static let patterns: [(Action, before: String, after: String, labels: [String?])] = [
        (.add, "addTo", "", [nil]),
        (.remove, "removeFrom", "", [nil]),
        (.insert, "insertInto", "", [nil, "at"]),
        (.removeAt, "removeFrom", "", ["at"]),
        (.replace, "replace", "", ["at", "with"]),
        (.add, "add", "Object", [nil]),
        (.remove, "remove", "Object", [nil]),
        (.removeAt, "removeObjectFrom", "AtIndex", [nil]),
        (.removeAt, "remove", "AtIndexes", [nil]),
        (.replace, "replaceObjectIn", "AtIndex", [nil, "withObject"]),
        (.insert, "insert", "", [nil, "atIndexes"]),
        (.add, "add", "", [nil]),
        (.remove, "remove", "", [nil]),
    ]

    init?(_ method: SourceFile.Method) {
        let labels = method.parameters.map(\.label)
        if method.name == "insertObject", labels.count == 2, labels[0] == nil, let second = labels[1],
            second.hasPrefix("in"), second.hasSuffix("AtIndex"), second.count > 9
        {
            (action, stem) = (.insert, String(second.dropFirst(2).dropLast(7)))
            return
        }
        for (action, before, after, known) in Self.patterns
        where known == labels && method.name.hasPrefix(before) && method.name.hasSuffix(after) {
            let stem = method.name.dropFirst(before.count).dropLast(after.count)
            guard method.name.count > before.count + after.count, let first = stem.first,
                !first.isLowercase
            else { continue }
            (self.action, self.stem) = (action, String(stem))
            return
        }
        return nil
    }

    /// The relationship's name.
    var relationship: String { stem.prefix(1).lowercased() + stem.dropFirst() }

    /// The statement that does it. nil if it cannot be done with parameters of these types.
    func statement(_ property: String, _ parameters: [(name: String, type: KnownType)]) -> String? {
        let first = parameters[0].name
        switch action {
        case .add, .remove:
            let call = action == .add ? "_add" : "_remove"
            return switch Argument(parameters[0].type) {
            case .object, .set: "\(call)(\(property), \(first))"
            case .sequence: "for member in \(first) { \(call)(\(property), member) }"
            default: nil
            }
        case .removeAt:
            return indexes(parameters[0]).map { "_remove(\(property), at: \($0))" }
        case .insert:
            guard let index = indexes(parameters[1]), fits(parameters[0].type, parameters[1].type) else { return nil }
            return "_insert(\(property), \(first), at: \(index))"
        case .replace:
            guard let index = indexes(parameters[0]), fits(parameters[1].type, parameters[0].type) else { return nil }
            return "_replace(\(property), at: \(index), with: \(parameters[1].name))"
        }
    }

    private func indexes(_ parameter: (name: String, type: KnownType)) -> String? {
        switch Argument(parameter.type) {
        case .index, .indexes: parameter.name
        case .swiftIndexes: "NSIndexSet(indexSet: \(parameter.name))"
        default: nil
        }
    }

    /// One object for one index, an array for several.
    private func fits(_ members: KnownType, _ indexes: KnownType) -> Bool {
        switch (Argument(members), Argument(indexes)) {
        case (.object, .index), (.sequence, .indexes), (.sequence, .swiftIndexes): true
        default: false
        }
    }

    private enum Argument {
        case object, set, sequence, index, indexes, swiftIndexes, other

        init(_ type: KnownType) {
            self = .other
            switch type {
            case .nominal(let nominal):
                switch nominal.name {
                case "NSSet", "NSOrderedSet", "NSMutableSet", "NSMutableOrderedSet": self = .set
                case "Int": self = .index
                case "NSIndexSet": self = .indexes
                case "IndexSet": self = .swiftIndexes
                default: if nominal.kind == .class, nominal.module != "Foundation" { self = .object }
                }
            case .generic(let nominal, let arguments):
                if ["Set", "Array"].contains(nominal.name), case .object = Argument(arguments[0]) { self = .sequence }
            case .optional, .any, .anyObject: break
            }
        }
    }
}

/// What the names of types mean in the sources of a module.
///
/// Names are looked up as Swift does it: in the types around, their superclasses, the module, the modules it depends on, Foundation
/// and Swift.
struct TypeTable {
    struct Failure: Error, Equatable {
        let message: String
    }

    /// A type or another name for one.
    struct Entry {
        enum Meaning {
            case nominal(KnownType.Nominal)
            case alias(WrittenType)
        }

        let meaning: Meaning
        let module: String
        /// `["Outer", "Inner"]`
        let path: [String]
        let access: Access
        let file: String?
        let inherited: [WrittenType]
        let isGeneric: Bool
        let isClass: Bool
    }

    let module: String
    /// By module and dotted path. The module's own come with those of the modules it depends on.
    private var entries: [String: [String: Entry]] = [:]
    /// The other modules, in the order they are looked into.
    private var others: [String] = []

    /// - Parameters:
    ///   - files: the module's sources.
    ///   - generated: classes of the module that are generated from models.
    ///   - dependencies: sources of the modules it depends on; what is not public there does not count.
    init(
        module: String, files: [SourceFile], generated: [String], dependencies: [(module: String, files: [SourceFile])]
    ) {
        self.module = module
        others = dependencies.map(\.module)
        add(files, of: module, isOwn: true)
        for name in generated {
            let path = name.split(separator: ".").map(String.init)
            let entry = Entry(
                meaning: .nominal(Self.nominal(module, path.map { ($0, .class) })), module: module, path: path,
                access: .internal, file: nil, inherited: [.name(["NSManagedObject"])], isGeneric: false, isClass: true)
            if entries[module, default: [:]][name] == nil { entries[module, default: [:]][name] = entry }
        }
        for (name, files) in dependencies { add(files, of: name, isOwn: false) }
    }

    private static func nominal(_ module: String, _ levels: [(String, KnownType.Nominal.Kind)]) -> KnownType.Nominal {
        KnownType.Nominal(module: module, path: levels.map { KnownType.Nominal.Level(name: $0.0, kind: $0.1) })
    }

    private mutating func add(_ files: [SourceFile], of module: String, isOwn: Bool) {
        var known: [String: Entry] = [:]
        // Kinds of the types around a type, which may stand in other files (extensions).
        var kinds: [String: KnownType.Nominal.Kind] = [:]
        let declared = files.flatMap { file in file.types.map { (file, $0) } }
        for (_, type) in declared {
            if let kind = type.kind.nominalKind { kinds[type.path.joined(separator: ".")] = kind }
        }
        for (file, type) in declared {
            let path = type.path.joined(separator: ".")
            if type.kind == .extension { continue }
            if !isOwn, type.access < .package { continue }
            let meaning: Entry.Meaning
            switch type.kind {
            case .alias(let written): meaning = .alias(written)
            default:
                let levels = type.path.indices.compactMap { index in
                    kinds[type.path[...index].joined(separator: ".")].map { (type.path[index], $0) }
                }
                // A type in an extension of another module's type.
                guard levels.count == type.path.count else { continue }
                meaning = .nominal(Self.nominal(module, levels))
            }
            // Where the branches of an `#if` both declare it, it is the same in most respects.
            if known[path] != nil, type.access.isOfFile { continue }
            known[path] = Entry(
                meaning: meaning, module: module, path: type.path, access: type.access,
                file: file.path, inherited: type.inherited, isGeneric: type.isGeneric,
                isClass: type.kind == .class)
        }
        entries[module, default: [:]].merge(known) { $1 }
    }

    // MARK: Looking up

    /// The class that an extension or a class declaration at a path means.
    func owner(_ path: [String]) -> Entry? {
        if let own = entries[module]?[path.joined(separator: ".")] { return own }
        var path = path
        if path.first == module, path.count > 1 { path.removeFirst() }
        if let own = entries[module]?[path.joined(separator: ".")] {
            // `extension Alias`
            if case .alias(let written) = own.meaning, let entry = entry(of: written, from: own) { return entry }
            return own
        }
        for other in others {
            if let entry = entries[other]?[path.joined(separator: ".")] { return entry }
        }
        return nil
    }

    private func entry(of written: WrittenType, from place: Entry) -> Entry? {
        guard case .named(let components) = written else { return nil }
        return find(components.map(\.name), from: Self.scopes(around: place.path), in: place.module, depth: 0)
    }

    /// The superclass' entry, if it is declared in one of the modules.
    func superclass(of entry: Entry) -> Entry? {
        guard let first = entry.inherited.first, let found = self.entry(of: first, from: entry) else { return nil }
        if case .alias(let written) = found.meaning { return self.entry(of: written, from: found) }
        return found.isClass ? found : nil
    }

    /// Whether objects of the class are managed ones, as far as that can be told: the root of its superclasses is
    /// `NSManagedObject` or a class that is not known.
    func isManaged(_ entry: Entry) -> Bool {
        var current = entry
        for _ in 0..<50 {
            if let next = superclass(of: current) { current = next } else { break }
        }
        guard case .named(let components)? = current.inherited.first else { return false }
        return components.last?.name == "NSManagedObject"
    }

    /// The paths of the types that a type stands in, the innermost first.
    private static func scopes(around path: [String]) -> [[String]] {
        path.indices.dropFirst().reversed().map { Array(path[..<$0]) }
    }

    /// - Parameter scopes: the paths of the types around, the innermost first.
    private func find(_ names: [String], from scopes: [[String]], in module: String, depth: Int) -> Entry? {
        guard depth < 20 else { return nil }
        let known = entries[module] ?? [:]
        for path in scopes {
            if let entry = known[(path + [names[0]]).joined(separator: ".")] {
                return member(names.dropFirst(), of: entry, depth: depth)
            }
            if let around = known[path.joined(separator: ".")],
                let entry = inheritedMember(names[0], of: around, depth: depth)
            {
                return member(names.dropFirst(), of: entry, depth: depth)
            }
        }
        if let entry = known[names[0]] { return member(names.dropFirst(), of: entry, depth: depth) }
        if names.count > 1, let own = entries[names[0]]?[names[1]] {
            return member(names.dropFirst(2), of: own, depth: depth)
        }
        if module != self.module { return nil }
        for other in others {
            if let entry = entries[other]?[names[0]] { return member(names.dropFirst(), of: entry, depth: depth) }
        }
        return nil
    }

    private func inheritedMember(_ name: String, of entry: Entry, depth: Int) -> Entry? {
        var current = entry
        for _ in 0..<20 {
            guard case .named(let components)? = current.inherited.first,
                let next = find(
                    components.map(\.name), from: Self.scopes(around: current.path), in: current.module,
                    depth: depth + 1),
                next.isClass
            else { return nil }
            if let found = entries[next.module]?[(next.path + [name]).joined(separator: ".")] { return found }
            current = next
        }
        return nil
    }

    private func member(_ names: ArraySlice<String>, of entry: Entry, depth: Int) -> Entry? {
        var current = entry
        for name in names {
            if case .alias(let written) = current.meaning, case .named(let components) = written,
                let meant = find(
                    components.map(\.name), from: Self.scopes(around: current.path), in: current.module,
                    depth: depth + 1)
            {
                current = meant
            }
            if let next = entries[current.module]?[(current.path + [name]).joined(separator: ".")] {
                current = next
            } else if let next = inheritedMember(name, of: current, depth: depth + 1) {
                current = next
            } else {
                return nil
            }
        }
        return current
    }

    // MARK: Meaning

    /// What a type of a member of a class means.
    ///
    /// - Throws: in words, why it cannot be told, or why generated code cannot use it.
    func meaning(of written: WrittenType, in scopes: [[String]]) throws(Failure) -> KnownType {
        try meaning(written, scopes, module, 0)
    }

    /// How code in an extension of a class spells a type: with its module where the class has another type of that name.
    func spelling(_ type: KnownType, in scopes: [[String]]) -> String {
        switch type {
        case .any: return "Any"
        case .anyObject: return "AnyObject"
        case .optional(let inner):
            let text = spelling(inner, in: scopes)
            return text.hasPrefix("any ") ? "(\(text))?" : text + "?"
        case .generic(let nominal, let arguments):
            return spelling(nominal, scopes) + "<" + arguments.map { spelling($0, in: scopes) }.joined(separator: ", ")
                + ">"
        case .nominal(let nominal):
            return (nominal.kind == .protocol ? "any " : "") + spelling(nominal, scopes)
        }
    }

    private func spelling(_ nominal: KnownType.Nominal, _ scopes: [[String]]) -> String {
        let name = nominal.name == "_NSRange" ? "NSRange" : nominal.fullName
        if let found = find([nominal.path[0].name], from: scopes, in: module, depth: 0) {
            if found.module == nominal.module, found.path == [nominal.path[0].name] { return name }
        } else {
            return name
        }
        let module = nominal.module == "FoundationEssentials" ? "Foundation" : nominal.module
        return module + "." + name
    }

    private func meaning(
        _ written: WrittenType, _ scopes: [[String]], _ module: String, _ depth: Int
    ) throws(Failure) -> KnownType {
        guard depth < 20 else { throw Failure(message: "its type '\(written.text)' leads in a circle") }
        switch written {
        case .optional(let inner): return .optional(try meaning(inner, scopes, module, depth + 1))
        case .array(let element):
            return try generic("Array", [element], scopes, module, depth)
        case .dictionary(let key, let value):
            return try generic("Dictionary", [key, value], scopes, module, depth)
        case .tuple: throw Failure(message: "its type is a tuple")
        case .unsupported(let what): throw Failure(message: "its type is \(what)")
        case .named(let components): return try named(components, scopes, module, depth)
        }
    }

    private func generic(
        _ name: String, _ arguments: [WrittenType], _ scopes: [[String]], _ module: String, _ depth: Int
    ) throws(Failure) -> KnownType {
        guard let nominal = KnownTypes.nominals[name] else { throw Failure(message: "'\(name)' is unknown") }
        var known: [KnownType] = []
        for argument in arguments { known.append(try meaning(argument, scopes, module, depth + 1)) }
        return .generic(nominal, known)
    }

    private func named(
        _ components: [WrittenType.Component], _ scopes: [[String]], _ module: String, _ depth: Int
    ) throws(Failure) -> KnownType {
        let names = components.map(\.name)
        let spelled = WrittenType.named(components).text
        let arguments = components.flatMap(\.arguments)
        if let entry = find(names, from: scopes, in: module, depth: 0) {
            guard !entry.isGeneric, arguments.isEmpty else {
                throw Failure(message: "its type '\(spelled)' is generic")
            }
            guard !entry.access.isOfFile else {
                throw Failure(
                    message:
                        "its type '\(spelled)' is \(entry.access), so that generated code cannot name it; make it internal"
                )
            }
            switch entry.meaning {
            case .nominal(let nominal): return .nominal(nominal)
            case .alias(let written):
                return try meaning(written, Self.scopes(around: entry.path), entry.module, depth + 1)
            }
        }
        var known = names
        if known.count > 1, KnownTypes.modules.contains(known[0]) { known.removeFirst() }
        guard known.count == 1 else { throw unknown(spelled) }
        if known[0] == "Optional", arguments.count == 1 {
            return .optional(try meaning(arguments[0], scopes, module, depth + 1))
        }
        if let alias = KnownTypes.aliases[known[0]], arguments.isEmpty { return alias }
        guard let nominal = KnownTypes.nominals[known[0]] else { throw unknown(spelled) }
        guard arguments.count == KnownTypes.generics[known[0], default: 0] else { throw unknown(spelled) }
        if arguments.isEmpty { return .nominal(nominal) }
        return try generic(known[0], arguments, scopes, module, depth)
    }

    private func unknown(_ name: String) -> Failure {
        Failure(
            message:
                "its type '\(name)' is declared neither in this module nor in one it depends on, nor known from Foundation"
        )
    }
}

extension SourceFile.TypeDeclaration.Kind {
    var nominalKind: KnownType.Nominal.Kind? {
        switch self {
        case .class: .class
        case .struct: .struct
        case .enum: .enum
        case .protocol: .protocol
        case .alias, .extension: nil
        }
    }
}

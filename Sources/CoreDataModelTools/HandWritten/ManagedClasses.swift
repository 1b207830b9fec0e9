/// The managed classes of a module with all their properties, their superclasses' included.
struct ManagedClasses {
    struct Property: Equatable {
        let name: String
        let condition: String?
    }

    struct Class {
        /// `Outer.Inner`
        let name: String
        let condition: String?
        /// The names by which models know it.
        let modelNames: [String]
        /// Properties that have key paths.
        let properties: [Property]
        let validators: [SourceFile.Validator]
        /// Where it is declared by hand.
        let path: String?
    }

    private(set) var all: [Class] = []

    init(
        module: String, files: [SourceFile], dependencies: [(module: String, files: [SourceFile])],
        generated: [GeneratedClass], table: TypeTable
    ) {
        // Each class' own properties and rules.
        var own: [String: [Property]] = [:]
        var validators: [String: [SourceFile.Validator]] = [:]
        for file in files {
            for type in file.types {
                guard let entry = table.owner(type.path) else { continue }
                let key = entry.module + "." + entry.path.joined(separator: ".")
                own[key, default: []] += Self.properties(type) { $0 > .fileprivate }
                if entry.module == module { validators[key, default: []] += type.validators }
            }
        }
        for (name, files) in dependencies {
            for type in files.flatMap(\.types) where type.kind != .extension || table.owner(type.path)?.module == name {
                own[name + "." + type.path.joined(separator: "."), default: []] += Self.properties(type) {
                    $0 == .public
                }
            }
        }
        var modelNames: [String: [String]] = [:]
        var superclasses: [String: String] = [:]
        for type in generated {
            let name = type.name.filter { $0 != "`" }
            modelNames[name, default: []] += type.modelNames
            superclasses[name] = type.superclass
            own[module + "." + name, default: []] += type.properties.filter(\.isGenerated).map {
                Property(name: $0.swiftName.filter { $0 != "`" }, condition: nil)
            }
        }
        func properties(_ entry: TypeTable.Entry) -> [Property] {
            var found: [Property] = []
            var current: TypeTable.Entry? = entry
            for _ in 0..<50 {
                guard let type = current else { break }
                let name = type.path.joined(separator: ".")
                found += own[type.module + "." + name] ?? []
                current = table.superclass(of: type) ?? superclasses[name].flatMap { table.owner([$0]) }
                if current?.path == type.path { break }
            }
            var seen: Set<String> = []
            return found.filter { seen.insert($0.name + "|" + ($0.condition ?? "")).inserted }
        }
        var seen: Set<String> = []
        for file in files {
            for type in file.types where type.kind == .class && !type.isGeneric && !type.access.isOfFile {
                let name = type.path.joined(separator: ".")
                guard let entry = table.owner(type.path), table.isManaged(entry),
                    seen.insert(name + "|" + (type.condition ?? "")).inserted
                else { continue }
                all.append(
                    Class(
                        name: name, condition: type.condition, modelNames: modelNames[name] ?? [],
                        properties: properties(entry), validators: validators[module + "." + name] ?? [],
                        path: file.path))
            }
        }
        for type in generated where type.codeGeneration == .class {
            let name = type.name.filter { $0 != "`" }
            guard seen.insert(name + "|").inserted, let entry = table.owner(name.split(separator: ".").map(String.init))
            else {
                continue
            }
            all.append(
                Class(
                    name: name, condition: nil, modelNames: modelNames[name] ?? [], properties: properties(entry),
                    validators: validators[module + "." + name] ?? [], path: nil))
        }
    }

    private static func properties(_ type: SourceFile.TypeDeclaration, _ isSeen: (Access) -> Bool) -> [Property] {
        type.properties.filter {
            isSeen($0.access) && !$0.isStatic && !$0.isIsolated && !ManagedCodeGenerator.isPrimitive($0.name)
        }.map { Property(name: $0.name, condition: $0.condition) }
    }
}

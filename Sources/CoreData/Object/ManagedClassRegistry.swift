import Foundation

/// Which Swift class belongs to which class name of a model.
///
/// A model says `Module.Class`, `.Class` (the current product's module) or, as older ones do, just `Class`. Swift finds a class by
/// its full name only. Modules that use the model plugin register their classes (`_ManagedModule`), also under the models' names for
/// them; else the module is guessed: that of classes that are known already, that of the model's resource bundle, that of the
/// executable. Safe to use from any thread.
final class ManagedClassRegistry: @unchecked Sendable {
    static let shared = ManagedClassRegistry()

    private let lock = NSLock()
    /// Known classes by full name and by bare name; nil where a bare name is not unique.
    private var byName: [String: NSManagedObject.Type?] = [:]
    /// The classes that are known under their own names.
    private var noted: Set<ObjectIdentifier> = []
    /// Class names that were looked for in vain, and warned about.
    private var warned: Set<String> = []
    /// Modules in which a class of a model was found.
    private var modules: [String] = []

    // MARK: Known classes

    /// Makes a class known under its own names and, if given, a model's names for it.
    func note(_ type: NSManagedObject.Type, as names: [String] = []) {
        if type == NSManagedObject.self { return }
        lock.withLock {
            noteLocked(type, nil)
            // Two modules may have models with classes of the same bare name: then it means neither.
            for name in names {
                if let known = byName[name], known != type { byName[name] = .some(nil) } else { byName[name] = type }
            }
        }
    }

    private func noteLocked(_ type: NSManagedObject.Type, _ name: String?) {
        if let name { byName[name] = type }
        // Spelling a class' name is slow.
        guard noted.insert(ObjectIdentifier(type)).inserted else { return }
        let full = String(reflecting: type)
        byName[full] = type
        guard let dot = full.lastIndex(of: ".") else { return }
        let bare = String(full[full.index(after: dot)...])
        if let known = byName[bare], known != type { byName[bare] = .some(nil) } else { byName[bare] = type }
        if let module = full.split(separator: ".").first.map(String.init), !modules.contains(module) {
            modules.append(module)
        }
    }

    // MARK: Looking up

    /// The class of an entity's objects; `NSManagedObject` where the model names it, names none, or (with one warning a name) names
    /// one that cannot be found.
    func objectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        let name: String = entity.managedObjectClassName ?? ""
        if name.isEmpty || name == "NSManagedObject" { return NSManagedObject.self }
        ManagedModules.load()
        var found = lookUp(name)
        if found == nil, ManagedModules.load(named: lock.withLock { modules } + Self.likelyModules) {
            found = lookUp(name)
        }
        if found == nil, lock.withLock({ warned.insert(name).inserted }) {
            CoreDataLog.warning(
                "Unable to load class named '\(name)' for entity '\(entity.name ?? "")'. Class not found, using default "
                    + "NSManagedObject instead.")
        }
        return found ?? NSManagedObject.self
    }

    private func lookUp(_ name: String) -> NSManagedObject.Type? {
        lock.withLock {
            if let known = byName[name], let known { return known }
            let found = find(name)
            if let found { noteLocked(found, name) }
            return found
        }
    }

    private func find(_ name: String) -> NSManagedObject.Type? {
        if !name.hasPrefix("."), name.contains("."), let type = Self.load(name) { return type }
        // A model that comes from an app may name a module that is called otherwise here.
        let bare = name.split(separator: ".").last.map(String.init) ?? name
        if let known = byName[bare], let known { return known }
        for module in modules + Self.likelyModules {
            if let type = Self.load(module + "." + bare) { return type }
        }
        return nil
    }

    private static func load(_ name: String) -> NSManagedObject.Type? {
        NSClassFromString(name) as? NSManagedObject.Type
    }

    /// The modules that the process' own classes are likely to be in: the executable's, and those of resource bundles beside it
    /// (`Package_Target.resources`).
    private static let likelyModules: [String] = {
        let executable = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        var names = [executable.deletingPathExtension().lastPathComponent]
        let folder = Bundle.main.bundleURL
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for file in files.sorted() where file.hasSuffix(".resources") || file.hasSuffix(".bundle") {
            let stem = file.prefix { $0 != "." }
            if let underscore = stem.lastIndex(of: "_") { names.append(String(stem[stem.index(after: underscore)...])) }
        }
        return names.map { $0.replacingOccurrences(of: "-", with: "_") }
    }()
}

extension NSManagedObject {
    /// The class of an entity's objects; see `ManagedClassRegistry`.
    static func runtimeClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        ManagedClassRegistry.shared.objectClass(of: entity)
    }

    /// Makes the class known before an object of it is made or fetched, under a model's name for it. Generated code calls it.
    public static func _register(as names: String...) { ManagedClassRegistry.shared.note(self, as: names) }

    /// Notes what tells the names of the class' key paths. Generated code calls it.
    public static func _registerKeyPaths(_ source: @escaping @Sendable (inout _KeyPathNames) -> Void) {
        KeyPathNames.register(self, source)
    }

    /// Notes a method `validateName(_:)` of the class. Generated code calls it.
    ///
    /// - Parameter stem: the property's name with its first letter as in the method's name.
    public static func _registerRule(
        _ stem: String, _ rule: @escaping @Sendable (NSManagedObject, inout Any?) throws -> Void
    ) {
        ValueRules.shared.add(rule, stem, self)
    }
}

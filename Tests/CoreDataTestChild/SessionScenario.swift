import CoreData
import CoreDataTestFixtures
import Foundation

/// `session`: a process that has a store open and does what its standard input says, a command a line. It answers each with a
/// line: `ok` and what there is to say, or `error DOMAIN CODE SQLITECODE`.
func session() {
    let session = Session()
    while let line = readLine() {
        var words = line.split(separator: " ").map(String.init)
        if words.isEmpty { continue }
        let command = words.removeFirst()
        if command == "quit" { break }
        do {
            say(try "ok " + session.run(command, words))
        } catch {
            say(describe(error as NSError))
        }
    }
}

private func describe(_ error: NSError) -> String {
    let code = error.userInfo["NSSQLiteErrorDomain"] as? Int ?? 0
    return "error \(error.domain) \(error.code) \(code)"
}

/// Objects are held by an entity's name, as an application holds what it shows.
private final class Session {
    private var league: League?
    private var held: [String: [NSManagedObject]] = [:]

    func run(_ command: String, _ words: [String]) throws -> String {
        switch command {
        case "open": return try open(words)
        case "add":
            held = [:]
            try opened().add(words[0])
            return try run("uuid", [])
        case "stores": return "\(try opened().coordinator.persistentStores.count)"
        case "uuid": return try opened().coordinator.persistentStores.first?.identifier ?? "-"
        case "close":
            try opened().container.close()
            return ""
        case "destroy":
            try coordinator.destroyPersistentStore(
                at: URL(fileURLWithPath: words[0]), ofType: NSSQLiteStoreType, options: timeout(words.dropFirst()))
            return ""
        case "replace":
            try coordinator.replacePersistentStore(
                at: URL(fileURLWithPath: words[0]), destinationOptions: timeout(words.dropFirst(2)),
                withPersistentStoreFrom: URL(fileURLWithPath: words[1]), ofType: NSSQLiteStoreType)
            return ""
        case "descriptors": return "\(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1)"
        default:
            let context = try opened().container.viewContext
            return try context.performAndWait { try run(command, words, in: context) }
        }
    }

    private func run(_ command: String, _ words: [String], in context: NSManagedObjectContext) throws -> String {
        switch command {
        case "lines": return try opened().lines().joined(separator: "; ")
        case "count": return "\(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: words[0])))"
        case "fetch":
            // Objects stay faults until somebody asks for their values.
            held[words[0]] = try League.objects(words[0], in: context)
            return "\(held[words[0]]?.count ?? 0)"
        case "names": return (held[words[0]] ?? []).map(League.name).joined(separator: ",")
        case "members":
            // Of a to-many relationship of the held objects: name and whether the object counts as deleted, each once.
            var members: Set<NSManagedObject> = []
            for object in held[words[0]] ?? [] {
                members.formUnion(object.value(forKey: words[1]) as? Set<NSManagedObject> ?? [])
            }
            return members.map { "\(League.name($0)):\($0.isDeleted)" }.sorted().joined(separator: ",")
        case "keys":
            let uris = (held[words[0]] ?? []).map { $0.objectID.uriRepresentation().lastPathComponent }
            return uris.joined(separator: ",")
        case "existing":
            for object in held[words[0]] ?? [] { _ = try context.existingObject(with: object.objectID) }
            return ""
        case "insert":
            for name in words.dropFirst() {
                held[words[0], default: []].append(League.insert(words[0], name, in: context))
            }
            return ""
        case "race":
            // Saves one after the other, each of some new objects.
            var keys: [String] = []
            for save in 0..<(Int(words[1]) ?? 0) {
                let objects = (0..<(Int(words[2]) ?? 0)).map {
                    League.insert(words[0], "\(getpid())-\(save)-\($0)", in: context)
                }
                try context.save()
                keys += objects.map { $0.objectID.uriRepresentation().lastPathComponent }
            }
            return keys.joined(separator: ",")
        case "rename":
            for object in held[words[0]] ?? [] where League.name(object) == words[1] {
                object.setValue(words[2], forKey: "name")
            }
            return ""
        case "delete":
            for object in held[words[0]] ?? [] where League.name(object) == words[1] { context.delete(object) }
            return ""
        case "batch-delete":
            let selection = NSFetchRequest<NSFetchRequestResult>(entityName: words[0])
            if words.count > 1 { selection.predicate = NSPredicate(format: "name == %@", words[1]) }
            let request = NSBatchDeleteRequest(fetchRequest: selection)
            request.resultType = .resultTypeCount
            return "\((try context.execute(request) as? NSBatchDeleteResult)?.result as? Int ?? -1)"
        case "save":
            try context.save()
            return ""
        case "refresh":
            // What is in the row cache will not do.
            context.stalenessInterval = 0
            context.refreshAllObjects()
            return ""
        case "reset":
            held = [:]
            context.reset()
            return ""
        case "populate":
            try opened().populate()
            return ""
        default: throw CocoaError(.featureUnsupported)
        }
    }

    /// `open PATH MODEL [journal_mode=…] [timeout=…]`
    private func open(_ words: [String]) throws -> String {
        var timeout: Double?
        var pragmas: [String: String] = [:]
        for option in words.dropFirst(2) {
            let pair = option.split(separator: "=").map(String.init)
            if pair[0] == "timeout" { timeout = Double(pair[1]) } else { pragmas[pair[0]] = pair[1] }
        }
        held = [:]
        league = nil
        league = try League(
            words[0], LeagueModel(rawValue: words[1]) ?? .first, timeout: timeout, pragmas: pragmas)
        return try run("uuid", [])
    }

    private func timeout(_ words: ArraySlice<String>) -> [String: Any]? {
        guard let word = words.first, let seconds = Double(word) else { return nil }
        return [NSPersistentStoreTimeoutOption: seconds]
    }

    private var coordinator: NSPersistentStoreCoordinator {
        league?.coordinator ?? NSPersistentStoreCoordinator(managedObjectModel: LeagueModel.first.make())
    }

    private func opened() throws -> League {
        guard let league else { throw CocoaError(.fileNoSuchFile) }
        return league
    }
}

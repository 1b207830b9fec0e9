import CoreData
import CoreDataBenchmarkRaw
import Foundation

/// Our side of the workloads, through the public API alone.
struct OurSide {
    let path: String
    let count: Int

    func run(_ workload: String) throws -> Measurement {
        switch workload {
        case "make-teamsOnly": try makeFile(persons: 0)
        case "make-filled": try makeFile(persons: count)
        case "make-related": try RelatedModel.makeFile(path, count: count)
        case "W1": return try insertAll()
        case "W2": return try fetchAll()
        case "W2b": return try fetchInBatches()
        case "W3": return try fetchByAge()
        case "W3b": return try fetchByIDs()
        case "W4": return try lookUp()
        case "W5": return try updateAll()
        case "W6a": return try batchDelete(.resultTypeStatusOnly)
        case "W6b": return try batchDelete(.resultTypeObjectIDs)
        case "W6c": return try deleteEach()
        case "W6d": return try RelatedModel.batchDelete(path)
        case "W7": return try fetchFirstByName()
        case "W8": return try followToMany()
        case "W9": return try reset()
        case "W10": return try sortTwice()
        case "A1": return Accesses.measureNumbers(try someLoaded())
        case "A2": return Accesses.measureTexts(try someLoaded())
        default: throw Runner.Failure(description: "there is no workload \(workload)")
        }
        return Measurement()
    }

    /// The container on the file, loaded.
    static func open(
        _ path: String, _ model: NSManagedObjectModel, options: [String: NSObject] = [:]
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Benchmark", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        for (key, value) in options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private func open() throws -> NSPersistentContainer { try Self.open(path, PersonModel.make()) }

    // MARK: Files

    private func makeFile(persons: Int) throws {
        let container = try open()
        let context = container.viewContext
        for number in 1...1000 {
            let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
            team.setValue("Team \(number)", forKey: "name")
            // One by one, so that the keys are the numbers.
            try context.obtainPermanentIDs(for: [team])
        }
        try context.save()
        if persons > 0 {
            let rows = generate(persons)
            let teams = try teamsByKey(context)
            try insert(rows, teams, into: context)
        }
        try container.close()
    }

    private func generate(_ count: Int) -> [raw_row] {
        (0..<count).map { index in
            var row = raw_row()
            raw_generate(Int64(index), &row)
            return row
        }
    }

    private func teamsByKey(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        let teams = try context.fetch(request)
        return teams.sorted { key($0) < key($1) }
    }

    private func key(_ object: NSManagedObject) -> Int64 {
        Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
    }

    private func insert(_ rows: [raw_row], _ teams: [NSManagedObject], into context: NSManagedObjectContext) throws {
        var persons: [Person] = []
        persons.reserveCapacity(rows.count)
        for row in rows {
            let person = Person(context: context)
            person.fill(row)
            person.team = teams[Int(row.team) - 1]
            persons.append(person)
        }
        try context.save()
        withExtendedLifetime(persons) {}
    }

    // MARK: Workloads

    private func insertAll() throws -> Measurement {
        let container = try open()
        let rows = generate(count)
        let teams = try teamsByKey(container.viewContext)
        var result = try Measurement {
            try insert(rows, teams, into: container.viewContext)
            return 0
        }
        result.checksum = Double(count) * Double(count + 1) / 2
        return result
    }

    private func fetchAll() throws -> Measurement {
        let container = try open()
        return try Measurement {
            let persons = try container.viewContext.fetch(NSFetchRequest<Person>(entityName: "Person"))
            return persons.reduce(0) { $0 + $1.checksum }
        }
    }

    private func fetchInBatches() throws -> Measurement {
        let container = try open()
        return try Measurement {
            let request = NSFetchRequest<Person>(entityName: "Person")
            request.fetchBatchSize = 100
            let persons = try container.viewContext.fetch(request)
            return persons.prefix(50).reduce(Double(persons.count)) { $0 + $1.checksum }
        }
    }

    private func fetchByAge() throws -> Measurement {
        let container = try open()
        return try Measurement {
            var sum = 0.0
            for age in stride(from: 0, to: 100, by: 5) {
                let request = NSFetchRequest<Person>(entityName: "Person")
                request.predicate = NSPredicate(format: "age == %d", age)
                for person in try container.viewContext.fetch(request) { sum += person.checksum }
            }
            return sum
        }
    }

    private func fetchFirstByName() throws -> Measurement {
        let container = try open()
        return try Measurement {
            var sum = 0.0
            for _ in 0..<3 {
                let request = NSFetchRequest<Person>(entityName: "Person")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                request.fetchLimit = 50
                for person in try container.viewContext.fetch(request) { sum += person.checksum }
            }
            return sum
        }
    }

    private func followToMany() throws -> Measurement {
        let container = try open()
        return try Measurement {
            var sum = 0.0
            for team in try container.viewContext.fetch(NSFetchRequest<Team>(entityName: "Team")) {
                for person in team.members { sum += person.checksum }
            }
            return sum
        }
    }

    private func fetchByIDs() throws -> Measurement {
        let container = try open()
        let ids = try ids(container, Int(RAW_ID_COUNT))
        return try Measurement {
            let request = NSFetchRequest<Person>(entityName: "Person")
            request.predicate = NSPredicate(format: "SELF IN %@", ids)
            return try container.viewContext.fetch(request).reduce(0) { $0 + $1.checksum }
        }
    }

    private func ids(_ container: NSPersistentContainer, _ number: Int) throws -> [NSManagedObjectID] {
        let coordinator = container.persistentStoreCoordinator
        let store = coordinator.persistentStores[0].identifier ?? ""
        return try (0..<number).map { index -> NSManagedObjectID in
            let key = raw_random_id(Int64(index), Int64(count))
            guard let url = URL(string: "x-coredata://\(store)/Person/p\(key)"),
                let id = coordinator.managedObjectID(forURIRepresentation: url)
            else { throw Runner.Failure(description: "no id for key \(key)") }
            return id
        }
    }

    private func lookUp() throws -> Measurement {
        let container = try open()
        let ids = try ids(container, 20_000)
        return try Measurement {
            var sum = 0.0
            for id in ids {
                guard let person = try container.viewContext.existingObject(with: id) as? Person else { continue }
                sum += person.checksum
            }
            return sum
        }
    }

    private func someLoaded() throws -> [Person] {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.fetchLimit = Accesses.objectCount
        let context = try open().viewContext
        context.retainsRegisteredObjects = true
        return try context.fetch(request)
    }

    private func loaded(_ container: NSPersistentContainer) throws -> [Person] {
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.returnsObjectsAsFaults = false
        return try container.viewContext.fetch(request)
    }

    private func updateAll() throws -> Measurement {
        let container = try open()
        let persons = try loaded(container)
        return try Measurement {
            var sum = 0.0
            for person in persons {
                person.score += 1
                sum += person.score
            }
            try container.viewContext.save()
            return sum
        }
    }

    private func batchDelete(_ type: NSBatchDeleteRequestResultType) throws -> Measurement {
        let container = try open()
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Person"))
        request.resultType = type
        return try Measurement {
            let result = try container.viewContext.execute(request) as? NSBatchDeleteResult
            if let ids = result?.result as? [NSManagedObjectID] { return Double(ids.count) }
            return Double(count)
        }
    }

    private func deleteEach() throws -> Measurement {
        let container = try open()
        let persons = try loaded(container)
        return try Measurement {
            for person in persons { container.viewContext.delete(person) }
            try container.viewContext.save()
            return Double(persons.count)
        }
    }

    private func reset() throws -> Measurement {
        // What Swift sets up once a process (types, protocol look-ups) is not what a reset costs: a small store goes first.
        let model = PersonModel.make()
        let small = try Self.open(path + "-small", model)
        try destroyAndAdd(small, path + "-small")
        let container = try Self.open(path, model)
        return try Measurement {
            try destroyAndAdd(container, path)
            return 1
        }
    }

    private func destroyAndAdd(_ container: NSPersistentContainer, _ path: String) throws {
        let coordinator = container.persistentStoreCoordinator
        let url = URL(fileURLWithPath: path)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    }

    private func sortTwice() throws -> Measurement {
        let container = try open()
        let persons = try loaded(container)
        return Measurement {
            var sum = 0.0
            for _ in 0..<2 {
                let sorted = persons.sorted { $0.age != $1.age ? $0.age < $1.age : ($0.name ?? "") < ($1.name ?? "") }
                sum += Double(sorted[sorted.count / 2].age)
            }
            return sum
        }
    }
}

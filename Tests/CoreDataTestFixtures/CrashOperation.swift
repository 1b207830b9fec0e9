import CoreData
import Foundation

/// What a process does to a store while it is killed.
package enum CrashOperation: String, CaseIterable, Sendable {
    /// Making a new store.
    case create
    /// A save of inserted, changed and deleted objects.
    case save
    /// A save of deleted, nullified and replaced values that lie outside of the store.
    case saveFiles = "save-files"
    /// Closing the container after such a save.
    case close
    /// Deleting a team with its players, whose photos lie outside, by a batch request.
    case batchDelete = "batch-delete"
    /// Destroying the store.
    case destroy
    /// Replacing the store by the one at `sourcePath`, whose photos lie outside too.
    case replace
    /// Putting a copy of that store where there is none.
    case restore

    /// The folder is the store's own, with nothing else in it.
    package static func storePath(in folder: String) -> String { folder + "/league.sqlite" }
    package static func sourcePath(in folder: String) -> String { folder + "/source.sqlite" }

    /// Prepares the operation on the store in `folder`, and runs it between two calls of `mark`.
    package func run(in folder: String, journal: String, mark: (String) -> Void) throws {
        let path = Self.storePath(in: folder)
        let url = URL(fileURLWithPath: path)
        if self == .create {
            mark("begin")
            _ = try League(path, journal: journal)
            mark("end")
            return
        }
        if self == .restore {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LeagueModel.first.make())
            mark("begin")
            try replace(path, in: folder, coordinator, journal: journal)
            mark("end")
            return
        }
        let league = try League(path)
        // Its connections have read; what is cached is cached.
        _ = try league.lines()
        switch self {
        case .create, .restore: break
        case .save, .saveFiles:
            let context = league.container.newBackgroundContext()
            try context.performAndWait {
                if self == .save { try Self.change(context) } else { try Self.changePhotos(context) }
                mark("begin")
                try context.save()
                mark("end")
            }
        case .close:
            let context = league.container.newBackgroundContext()
            try context.performAndWait {
                try Self.change(context)
                try context.save()
            }
            mark("begin")
            try league.container.close()
            mark("end")
        case .batchDelete:
            let context = league.container.newBackgroundContext()
            try context.performAndWait {
                let selection = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
                selection.predicate = NSPredicate(format: "name == %@", "Blue")
                let request = NSBatchDeleteRequest(fetchRequest: selection)
                mark("begin")
                try context.execute(request)
                mark("end")
            }
        case .destroy:
            mark("begin")
            try league.coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            mark("end")
        case .replace:
            mark("begin")
            try replace(path, in: folder, league.coordinator, journal: journal)
            mark("end")
        }
    }

    private func replace(
        _ path: String, in folder: String, _ coordinator: NSPersistentStoreCoordinator, journal: String
    ) throws {
        try coordinator.replacePersistentStore(
            at: URL(fileURLWithPath: path),
            destinationOptions: [NSSQLitePragmasOption: ["journal_mode": journal]],
            withPersistentStoreFrom: URL(fileURLWithPath: Self.sourcePath(in: folder)), ofType: NSSQLiteStoreType)
    }

    /// A player whose photo is replaced; a deleted team, whose players and their photos go with it.
    private static func changePhotos(_ context: NSManagedObjectContext) throws {
        try League.objects("Player", named: "Amber1", in: context).first?
            .setValue(Data(repeating: 9, count: 70), forKey: "photo")
        try League.objects("Team", named: "Blue", in: context).forEach(context.delete)
    }

    /// A new team with a player; a player that changes team, another with a new rank, a deleted one; a team without tags.
    private static func change(_ context: NSManagedObjectContext) throws {
        let team = League.insert("Team", "Delta", in: context)
        let player = League.insert("Player", "Delta1", in: context)
        player.setValue(team, forKey: "team")
        player.setValue(1, forKey: "rank")
        // Enough text to touch more than a page of the file.
        player.setValue(Data(repeating: 7, count: 9000), forKey: "photo")
        team.setValue(Set(try League.objects("Tag", named: "fast", in: context)), forKey: "tags")
        try League.objects("Player", named: "Amber1", in: context).first?.setValue(team, forKey: "team")
        try League.objects("Player", named: "Amber2", in: context).first?.setValue(99, forKey: "rank")
        try League.objects("Player", named: "Coral1", in: context).forEach(context.delete)
        try League.objects("Team", named: "Coral", in: context).first?
            .setValue(Set<NSManagedObject>(), forKey: "tags")
    }
}

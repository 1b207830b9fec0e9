import CoreData
import CoreDataTestFixtures
import Foundation
import TestSupport

/// One operation in one journal mode: the store it starts from, what it leads to, and what the store is after a kill.
struct CrashRun {
    let operation: CrashOperation
    let journal: String
    private let template: TemporaryDirectory
    let before: LeagueFile.Contents
    let after: LeagueFile.Contents

    /// - Parameter scale: the size of the store; see `League.populate(scale:)`.
    init(_ operation: CrashOperation, journal: String, scale: Int) throws {
        self.operation = operation
        self.journal = journal
        template = try TemporaryDirectory()
        if operation != .create { try Self.prepare(in: template.path, journal: journal, scale: scale) }
        if operation == .restore {
            for name in try FileManager.default.contentsOfDirectory(atPath: template.path) where name.contains("league")
            {
                try FileManager.default.removeItem(atPath: template.path(name))
            }
        }
        before = try operation.startsWithNothing ? LeagueFile.Contents(isStore: false) : Self.recovered(template.path)
        let folder = try Self.copied(template.path)
        defer { withExtendedLifetime(folder) {} }
        let result = try Subprocess.run(try childPath(), Self.arguments(operation, folder.path, journal), timeout: 300)
        guard result.isSuccess else { throw Subprocess.Failure(description: "\(result.status) \(result.errorOutput)") }
        after = try LeagueFile(in: folder.path).contents()
    }

    private static func arguments(_ operation: CrashOperation, _ folder: String, _ journal: String) -> [String] {
        ["crash", operation.rawValue, folder, journal]
    }

    /// Two stores: the newest changes of the first, in WAL mode, are in the log only.
    private static func prepare(in folder: String, journal: String, scale: Int) throws {
        let live = try TemporaryDirectory()
        defer { withExtendedLifetime(live) {} }
        let store = LeagueFile(in: live.path)
        let league = try League(store.path, journal: journal)
        try league.populate(scale: scale)
        try store.placePhotosOutside(where: "ZNAME IN ('Amber1', 'Blue1', 'Blue2', 'Blue3')")
        // A backup of the store, which goes its own way from here.
        let source = LeagueFile(CrashOperation.sourcePath(in: live.path))
        _ = try sqlite3(store.path, "VACUUM INTO '\(source.path)';")
        try copy(store.supportPath + "/.", to: source.supportPath)
        let restored = try League(source.path)
        try add("Echo", to: restored)
        try restored.container.close()
        try source.placePhotosOutside(where: "ZNAME = 'Echo1'")

        try add("Foxtrot", to: league)
        try copy(live.path + "/.", to: folder)
        try league.container.close()
    }

    private static func add(_ name: String, to league: League) throws {
        let context = league.container.newBackgroundContext()
        try context.performAndWait {
            let team = League.insert("Team", name, in: context)
            League.insert("Player", name + "1", in: context).setValue(team, forKey: "team")
            try context.save()
        }
    }

    /// Copies a folder that no connection of this process is open in.
    private static func copied(_ folder: String) throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: copy.path(name))
        }
        return copy
    }

    /// Copies a folder by another process: closing a file that SQLite has open would give up the locks of this one.
    private static func copy(_ source: String, to destination: String) throws {
        let result = try Subprocess.run("cp", ["-a", source, destination])
        guard result.isSuccess else { throw Subprocess.Failure(description: result.errorOutput) }
    }

    /// What the `sqlite3` shell finds in a copy of the folder: nobody has that open, so it is recovered from the files alone.
    private static func recovered(_ folder: String, isOpenHere: Bool = false) throws -> LeagueFile.Contents {
        let copy = try isOpenHere ? TemporaryDirectory() : copied(folder)
        defer { withExtendedLifetime(copy) {} }
        if isOpenHere { try Self.copy(folder + "/.", to: copy.path) }
        return try LeagueFile(in: copy.path).contents()
    }

    /// The calls to kill at.
    func trace(isHeld: Bool) throws -> SystemCallTracer.Trace {
        let folder = try Self.copied(template.path)
        let holder = try isHeld ? Holder(folder.path) : nil
        defer {
            holder?.close()
            withExtendedLifetime(folder) {}
        }
        return try tracer(folder.path).trace()
    }

    private func tracer(_ folder: String) throws -> SystemCallTracer {
        SystemCallTracer(
            executable: try childPath(), arguments: Self.arguments(operation, folder, journal))
    }

    struct Outcome {
        var wasHit = false
        var isNew = false
        /// What is wrong, if anything.
        var faults: [String] = []
    }

    /// Kills the operation at a call and examines the store.
    ///
    /// - Parameter isHeld: whether this process has the store open meanwhile.
    func kill(at call: SystemCallTracer.Call, isHeld: Bool) throws -> Outcome {
        let folder = try Self.copied(template.path)
        let file = LeagueFile(in: folder.path)
        let holder = try isHeld ? Holder(folder.path) : nil
        var outcome = Outcome()
        outcome.wasHit = try tracer(folder.path).kill(at: call)

        let recovered = try Self.recovered(folder.path, isOpenHere: isHeld)
        // Somebody who has the store open in WAL mode does not see a commit whose last step is missing, where recovering the
        // log finds it: what he sees is what holds.
        let found = try isHeld ? file.contents() : recovered
        for (contents, how) in [(recovered, "recovered"), (found, "found")]
        where contents != after && contents != before {
            outcome.faults.append("\(how): neither old nor new: \(contents)")
        }
        outcome.isNew = found == after
        if let holder {
            outcome.faults += holder.faults(found: found, isAnotherStore: outcome.isNew && operation.makesAnotherStore)
            holder.close()
        }
        outcome.faults += try faultsOfReopening(file, found)
        let left = try folder.contents.filter { $0.hasPrefix("league.sqlite-") }
        if !left.isEmpty { outcome.faults.append("left after closing: \(left)") }
        return outcome
    }

    /// The framework opens what is there, cleans up, and can write it.
    private func faultsOfReopening(_ file: LeagueFile, _ found: LeagueFile.Contents) throws -> [String] {
        var faults: [String] = []
        let league = try League(file.path)
        let lines = try league.lines()
        if lines != found.lines { faults.append("objects \(lines) where the file has \(found.lines)") }
        try Self.add("Golf", to: league)
        try league.container.close()

        let written = try file.contents()
        if Set(written.lines) != Set(found.lines + ["player Golf1 0 Golf -", "team Golf "]) {
            faults.append("writing to \(found.lines) gives \(written.lines)")
        }
        for (entity, key) in found.largestKeys where (written.largestKeys[entity] ?? 0) < key {
            faults.append("the largest key of \(entity) went back from \(key)")
        }
        if file.externalFiles != written.referredFiles {
            faults.append(
                "files \(file.externalFiles.sorted()) where rows refer to \(written.referredFiles.sorted())")
        }
        if operation.startsWithNothing {
            // As if nothing had happened, unless the database was there before the journal mode was asked for. (A copy is in
            // place before it gets the mode of a new store; a kill between the two leaves it with a rollback journal.)
            let journals = operation == .restore ? ["wal", "delete"] : ["wal", journal]
            let layout = try sqlite3(file.path, "PRAGMA auto_vacuum; PRAGMA page_size; PRAGMA journal_mode;")
            if !journals.contains(where: { layout == "2\n4096\n\($0)" }) { faults.append("the file is \(layout)") }
        }
        return faults
    }
}

extension CrashOperation {
    /// Whether those who have the store open lose it.
    var makesAnotherStore: Bool { self == .destroy || self == .replace }

    var startsWithNothing: Bool { self == .create || self == .restore }
}

/// A process that has the store open while another one is killed: this one.
private struct Holder {
    let league: League

    init(_ folder: String) throws {
        league = try League(CrashOperation.storePath(in: folder))
        _ = try league.lines()
    }

    func faults(found: LeagueFile.Contents, isAnotherStore: Bool) -> [String] {
        do {
            let lines = try league.lines()
            if isAnotherStore { return ["the holder goes on with another store"] }
            return lines == found.lines ? [] : ["the holder sees \(lines) where the file has \(found.lines)"]
        } catch let error as NSError {
            let isRemoved = error.domain == NSCocoaErrorDomain && error.code == NSPersistentStoreOperationError
            return isAnotherStore && isRemoved ? [] : ["the holder got \(error)"]
        }
    }

    func close() { try? league.container.close() }
}

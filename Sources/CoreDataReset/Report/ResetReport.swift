import CoreData
import Foundation

/// What a reset did, store by store.
///
///     let report = try container.deleteAllRecords()
///     print(report)                                         // for people
///     let json = try JSONEncoder().encode(report)           // for programs
///     let deleted = report.recordsDeleted
public struct ResetReport: Sendable, Hashable, Codable {
    /// What was asked for.
    public enum Operation: String, Sendable, Hashable, Codable {
        /// The records were deleted, the stores stayed.
        case deleteAllRecords
        /// A new store came in the place of each one.
        case resetStores
    }

    /// How long a part of the work took.
    public struct Step: Sendable, Hashable, Codable {
        public var name: String
        public var seconds: Double
    }

    /// The records of one entity, those of entities below it not counted.
    public struct Rows: Sendable, Hashable, Codable {
        public var entity: String
        public var before: Int
        public var after: Int
    }

    /// Why a store failed.
    public struct Failure: Sendable, Hashable, Codable {
        public var domain: String
        public var code: Int
        /// SQLite's code, if the error has one.
        public var sqliteCode: Int?
        public var reason: String
    }

    public struct Store: Sendable, Hashable, Codable {
        /// Where the store is; for one in memory a URL that stands for it.
        public var url: URL?
        /// `NSSQLiteStoreType`, `NSInMemoryStoreType`.
        public var type: String
        public var configuration: String
        /// `NSStoreUUIDKey`.
        public var identifierBefore: String
        public var identifierAfter: String
        /// One an entity of the store, in order of name. Empty where they could not be counted.
        public var rows: [Rows] = []
        public var filesBefore: StoreFiles
        public var filesAfter: StoreFiles
        public var steps: [Step] = []
        /// nil: it was done. Otherwise the store is as it was (but see ``ResetError``).
        public var failure: Failure?
    }

    public var operation: Operation
    public var stores: [Store] = []
    /// Contexts that have followed.
    public var contextsTold = 0
    /// Contexts that were busy and follow as their next block.
    public var contextsWaiting = 0
    /// What was done for all stores together.
    public var steps: [Step] = []
    /// How long it took from beginning to end.
    public var seconds = 0.0

    /// How many records there are less.
    public var recordsDeleted: Int {
        stores.flatMap(\.rows).reduce(0) { $0 + $1.before - $1.after }
    }

    init(operation: Operation) { self.operation = operation }

    /// Adds the time of a step, which may come in several parts.
    mutating func add(_ step: Step) {
        if let index = steps.firstIndex(where: { $0.name == step.name }) {
            steps[index].seconds += step.seconds
        } else {
            steps.append(step)
        }
    }
}

extension ResetReport.Store {
    /// The store as it is before the reset.
    init(_ store: NSPersistentStore) {
        url = store.url
        type = store.type
        configuration = store.configurationName
        identifierBefore = store.identifier
        identifierAfter = store.identifier
        filesBefore = StoreFiles(of: store)
        filesAfter = filesBefore
    }

    mutating func setRows(before: [String: Int], after: [String: Int]) {
        rows = before.keys.sorted().map { name in
            ResetReport.Rows(entity: name, before: before[name] ?? 0, after: after[name] ?? 0)
        }
    }

    mutating func fail(_ error: any Error, _ clock: Stopwatch) {
        steps.append(ResetReport.Step(name: "fail", seconds: clock.seconds))
        failure = ResetReport.Failure(error as NSError)
    }
}

extension ResetReport.Failure {
    init(_ error: NSError) {
        domain = error.domain
        code = error.code
        sqliteCode = error.userInfo[NSSQLiteErrorDomain] as? Int
        reason = error.localizedFailureReason ?? error.localizedDescription
    }
}

import Foundation

/// The one seam between contexts and built-in stores. Nothing above it knows SQL, nothing below it knows `NSManagedObject`.
///
/// All members may be called from any thread; they block until done. What they throw is an `NSError` in
/// `NSCocoaErrorDomain`. Each read and write transaction first checks the store's identity: a file that was reset or replaced
/// by somebody makes it throw the removed-store error (134070) and drops the cache.
protocol StoreEngine: AnyObject, Sendable {
    /// The rows this store's contexts share.
    var rowCache: RowCache { get }

    // MARK: Reading

    /// Rows in the plan's order, handed over in chunks inside one read transaction, already admitted to the row cache.
    func fetchRows(_ plan: FetchPlan, _ receive: (ContiguousArray<Row>) throws -> Void) throws
    /// Keys in the plan's order.
    func fetchKeys(_ plan: FetchPlan) throws -> [ObjectKey]
    /// How many rows there are: of the plan's table or, with the shape `dictionaries`, of its result.
    func count(_ plan: FetchPlan) throws -> Int
    /// The values of each row of a plan of the shape `dictionaries`, in the order of its columns and then of its hidden ones,
    /// nil for NULL. To-one values are `ObjectKey`s.
    func fetchDictionaries(_ plan: FetchPlan, _ receive: ([Any?]) throws -> Void) throws

    /// The rows of these keys (of any entities), read in one transaction; missing records are absent. Order is not kept.
    func rows(for keys: [ObjectKey]) throws -> ContiguousArray<Row>
    /// The keys a to-many relationship of a record leads to, in stored order where it is ordered; their rows are admitted to the
    /// row cache. A join table may name a record that is gone: its key, under the relationship's destination, is among them.
    func relatedKeys(_ relationship: NSRelationshipDescription, of owner: ObjectKey) throws -> [ObjectKey]
    /// The same for many owners of one hierarchy, in one reading: the owner's key, the member's, and its row, which is nil where
    /// a join table names a record that is gone. The members of one owner come in stored order.
    func relatedRows(
        _ relationship: NSRelationshipDescription, of owners: [ObjectKey],
        _ receive: (_ owner: Int64, _ member: ObjectKey, _ row: Row?) throws -> Void) throws
    /// The bytes of an external blob file a row refers to (prefix byte 2), nil where the file is missing.
    func externalData(named name: String) throws -> Data?

    // MARK: Writing

    /// Gives out new primary keys of the entity's root table in a transaction of its own.
    /// - Returns: the first of `count` consecutive keys.
    func reserveKeys(_ entity: NSEntityDescription, count: Int) throws -> Int64
    /// One write transaction: reserves keys, lets the caller build the change set with them, checks versions, writes.
    /// Nothing is changed where conflicts are returned or an error is thrown.
    func save(_ request: SaveRequest) throws -> SaveOutcome
    /// Deletes by set-based SQL in one transaction; no object is loaded.
    func batchDelete(_ plan: BatchDeletePlan) throws -> BatchDeleteOutcome

    // MARK: Life

    /// Whether the record exists now.
    func exists(_ key: ObjectKey) throws -> Bool
    /// Finishes what is running, closes all connections and files.
    func close() throws
}

/// A save as the context hands it over.
struct SaveRequest {
    /// How many new keys are needed of which root entity.
    var newKeys: [(root: NSEntityDescription, count: Int)]
    /// Called inside the write transaction with the first reserved key of each of `newKeys`.
    var build: ([Int64]) throws -> ChangeSet
    /// `NSManagedObjectContext.transactionAuthor` and `name`, for the history.
    var author: String?
    var contextName: String?
    /// The store's metadata, if they are to be written with this save.
    var metadata: [String: Any]?
    /// Whether records may lose values that lie in external files. Asked before the transaction, and only by a store whose
    /// entities may have such values.
    var mayReleaseFiles: () -> Bool = { false }
}

/// Inserted, updated and deleted rows of one save, with the versions they were read at.
struct ChangeSet {
    struct Update {
        /// The row as it was read: its version is the one the store must still have.
        var old: Row
        /// The whole row as it shall be; the engine stamps the new version.
        var new: Row
        /// One bit a slot: which differ. Empty where only a to-many relationship of the record changed (the version still grows).
        var changedSlots: SlotSet
        /// Names of changed to-many relationships, for the history.
        var changedToMany: [String] = []
    }

    struct Deletion {
        /// The row as it was read.
        var old: Row
    }

    /// Members of a to-many relationship that came or went, told once a pair of inverse relationships.
    /// One-to-many relationships with an inverse stand here only if they are ordered: the to-one side's slot tells the rest.
    struct ToManyChange {
        var relationship: NSRelationshipDescription
        var owner: ObjectKey
        var added: [ObjectKey]
        var removed: [ObjectKey]
        /// All members in order, for an ordered relationship.
        var order: [ObjectKey]?
    }

    var inserted: ContiguousArray<Row> = []
    var updated: ContiguousArray<Update> = []
    var deleted: ContiguousArray<Deletion> = []
    var toMany: [ToManyChange] = []
    /// Unchanged rows whose version must still be the stored one (`detectConflicts(for:)`).
    var checked: ContiguousArray<Row> = []
    /// Updates and deletions that overwrite whatever version is stored (the overwrite policies).
    var ignoresVersions = false
}

/// A set of slot indexes. The first 64 need no allocation: a save has one set an updated object.
struct SlotSet: Hashable, Sendable {
    private var first: UInt64 = 0
    private var rest: [UInt64] = []

    init(slotCount: Int) {}

    var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    @inline(__always)
    func contains(_ slot: Int) -> Bool {
        if slot < 64 { return first & (1 << UInt64(slot)) != 0 }
        let index = slot >> 6 - 1
        return index < rest.count && rest[index] & (1 << UInt64(slot & 63)) != 0
    }

    @inline(__always)
    mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 << UInt64(slot)
        } else {
            insertFar(slot)
        }
    }

    private mutating func insertFar(_ slot: Int) {
        let index = slot >> 6 - 1
        while rest.count <= index { rest.append(0) }
        rest[index] |= 1 << UInt64(slot & 63)
    }

    func forEach(_ body: (Int) throws -> Void) rethrows {
        try Self.visit(first, 0, body)
        for index in rest.indices { try Self.visit(rest[index], (index + 1) << 6, body) }
    }

    @inline(__always)
    private static func visit(_ word: UInt64, _ base: Int, _ body: (Int) throws -> Void) rethrows {
        var word = word
        while word != 0 {
            try body(base + word.trailingZeroBitCount)
            word &= word - 1
        }
    }
}

/// How a save ended in one store.
enum SaveOutcome {
    /// Written and durable by the store's rules; rows are stamped and in the row cache.
    case committed(historyToken: Int64?)
    /// Nothing was written: these records have another version, or are gone.
    case conflicts([Conflict])
    /// Nothing was written: these rows break a uniqueness constraint.
    case constraintConflicts([ConstraintConflict])

    struct Conflict {
        var old: Row
        /// The row the store has now, nil where it was deleted.
        var persisted: Row?
    }

    struct ConstraintConflict {
        /// Names of the constraint's attributes.
        var constraint: [String]
        /// The rows of the change set that claim the same values.
        var claimants: [Row]
        /// The stored row with these values, if there is one that is not among the claimants.
        var persisted: Row?
    }
}

/// A batch delete as it reaches a store.
struct BatchDeletePlan {
    /// Which records: the request's plan, keys of one root entity, or all records of these very entities (not of those below).
    enum Selection {
        case plan(FetchPlan)
        case keys([ObjectKey])
        case entities([NSEntityDescription])
    }

    var selection: Selection
    var wantsKeys: Bool
    var author: String?
    var contextName: String?
    /// Entities whose records stay: a cascade that would take one stops the deletion.
    var kept: [NSEntityDescription] = []
    /// Whether to count the records of every entity before and afterwards.
    var countsRows = false
}

struct BatchDeleteOutcome {
    /// How many records the request itself selected and deleted (cascades not counted).
    var count: Int
    /// Keys of the selected records, if they were wanted, then those the cascades deleted.
    var keys: [ObjectKey]
    var historyToken: Int64?
    /// If it was asked for: how many records each entity of the store had and has, by ordinal, in the same transaction.
    var rowsBefore: [Int32: Int] = [:]
    var rowsAfter: [Int32: Int] = [:]
}

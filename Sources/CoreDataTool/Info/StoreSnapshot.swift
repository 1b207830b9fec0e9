import CoreData
import Foundation

/// Everything a store file tells about itself, read at one moment without changing a byte of it.
struct StoreSnapshot {
    struct Entity {
        var name: String
        /// `Z_ENT`.
        let number: Int64
        /// Position in `entities`; nil for a root.
        var parent: Int?
        /// How many entities are above it.
        var depth = 0
        /// The table with its rows; nil if the file has none.
        var table: String?
        /// Rows of the entity itself.
        var rows: Int64 = 0
        /// Rows of the entity and of all entities below it.
        var rowsWithSubentities: Int64 = 0
        /// The last key given out, kept on root entities only.
        let lastKey: Int64
        /// nil where the model is not known.
        var isAbstract: Bool?
    }

    struct Table {
        let name: String
        let rows: Int64
    }

    struct History {
        let transactions: Int64
        let changes: Int64
        let first: Date?
        let last: Date?
    }

    struct Layout {
        let pageSize: Int64
        let pages: Int64
        let freePages: Int64
        /// 0 none, 1 full, 2 incremental.
        let autoVacuum: Int64
    }

    /// The model cached in the store.
    enum Model {
        case none
        case cached(NSManagedObjectModel)
        case unreadable(reason: String)
    }

    let path: StoreFilePath
    let sizes: FileGroupSizes
    let layout: Layout
    /// As stored, `NSStoreUUIDKey` and `NSStoreTypeKey` included.
    let metadata: [String: Any]
    let model: Model
    /// Parents before their children, the tree in order of the numbers.
    let entities: [Entity]
    let joinTables: [Table]
    /// nil where history was never tracked.
    let history: History?
    /// The tables by which CloudKit mirroring keeps its state.
    let mirroringTables: [Table]
    /// Under which names the file keeps what the cached model describes.
    let names: StoreNames?
    /// What could not be read or does not fit, a sentence each.
    let problems: [String]

    var totalRows: Int64 { entities.reduce(0) { $0 + $1.rows } }

    var cachedModel: NSManagedObjectModel? {
        if case .cached(let model) = model { model } else { nil }
    }

    var isMirrored: Bool { !mirroringTables.isEmpty }

    /// The version hashes of the entities in the metadata.
    var hashes: [String: Data] {
        (metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]).compactMapValues { $0 as? Data }
    }

    var versionIdentifiers: [String] {
        (metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []).map { $0 as? String ?? "\($0)" }
    }

    /// Whether the cached model has just the hashes of the metadata; nil without a model.
    var modelAgrees: Bool? { cachedModel.map(fits) }

    /// Whether the store was made with a model, as opening it would see it.
    func fits(_ model: NSManagedObjectModel) -> Bool {
        model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { cachedModel }
    }
}

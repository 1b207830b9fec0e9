/// The tables and columns of one store, as its model asks for them and as its file has them.
///
/// Immutable; a store makes one when it is opened, and another if its schema turns out to have changed.
final class SQLSchema: @unchecked Sendable {
    let model: NSManagedObjectModel
    /// The name of the model's configuration whose entities the store holds; nil: all.
    let configuration: String?
    /// By model ordinal; nil for entities that are not in the configuration. Index 0 is empty.
    let entities: ContiguousArray<SQLEntity?>
    /// The entities of the store in the order of their numbers.
    let entitiesInOrder: ContiguousArray<SQLEntity>
    let tables: ContiguousArray<SQLTable>
    let joins: ContiguousArray<SQLJoinTable>
    /// The history tables of the file, nil if it has none.
    let history: SQLHistorySchema?
    /// Whether values of some entity may lie in external files.
    let allowsExternalFiles: Bool
    /// Whether some entity has derived attributes.
    let derivesValues: Bool
    /// Whether decimals are stored as exact text (in memory) instead of as numbers (in Apple's files).
    let storesDecimalsAsText: Bool
    /// By model ordinal; entities that are not in the configuration while some below them are.
    private let branches: [Int32: SQLEntity]
    /// Model ordinal by `Z_ENT`; 0 where the store has no such entity.
    private let ordinals: ContiguousArray<Int32>

    init(
        model: NSManagedObjectModel, configuration: String?, entities: ContiguousArray<SQLEntity>,
        branches: ContiguousArray<SQLEntity>, tables: ContiguousArray<SQLTable>, joins: ContiguousArray<SQLJoinTable>,
        history: SQLHistorySchema?,
        storesDecimalsAsText: Bool
    ) {
        self.model = model
        self.configuration = configuration
        self.tables = tables
        self.joins = joins
        self.history = history
        self.storesDecimalsAsText = storesDecimalsAsText
        derivesValues = entities.contains { $0.hasTriggeredValues || !$0.derivations.isEmpty }
        allowsExternalFiles = entities.contains { !$0.layout.externalSlots.isEmpty }
        self.branches = Dictionary(uniqueKeysWithValues: branches.map { ($0.ordinal, $0) })
        entitiesInOrder = ContiguousArray(entities.sorted { $0.number < $1.number })
        var byOrdinal = ContiguousArray<SQLEntity?>(repeating: nil, count: model.entitiesByOrdinal.count + 1)
        var ordinals = ContiguousArray<Int32>(repeating: 0, count: Int(entitiesInOrder.last?.number ?? 0) + 1)
        for entity in entities {
            byOrdinal[Int(entity.ordinal)] = entity
            ordinals[Int(entity.number)] = entity.ordinal
        }
        self.entities = byOrdinal
        self.ordinals = ordinals
    }

    /// The entity as the store knows it, nil if the store does not hold it. O(1).
    @inline(__always)
    func entity(_ description: NSEntityDescription) -> SQLEntity? { entity(ordinal: Int32(description.ordinal)) }

    /// O(1).
    @inline(__always)
    func entity(ordinal: Int32) -> SQLEntity? {
        ordinal > 0 && Int(ordinal) < entities.count ? entities[Int(ordinal)] : nil
    }

    /// The entity, or what the store holds of it: where only entities below it are in the configuration, their rows. For looking
    /// rows up; no row is of such an entity itself. nil if the store holds nothing of it. O(1).
    func branch(ordinal: Int32) -> SQLEntity? { entity(ordinal: ordinal) ?? branches[ordinal] }

    func branch(_ description: NSEntityDescription) -> SQLEntity? { branch(ordinal: Int32(description.ordinal)) }

    /// What stands in a table.
    func family(_ table: SQLTable) -> SQLEntity? { branch(ordinal: table.rootOrdinal) }

    /// The model ordinal of a `Z_ENT` found in the file, nil for a number the model knows no entity for. O(1).
    @inline(__always)
    func ordinal(number: Int64) -> Int32? {
        guard number > 0, number < Int64(ordinals.count) else { return nil }
        let ordinal = ordinals[Int(number)]
        return ordinal == 0 ? nil : ordinal
    }
}

/// An entity of a store: its number there, its table and the columns of its slots.
final class SQLEntity: @unchecked Sendable {
    unowned(unsafe) let entity: NSEntityDescription
    unowned(unsafe) let layout: SlotLayout
    /// `NSEntityDescription.ordinal`.
    let ordinal: Int32
    /// The entity's `Z_ENT` in this store; 0 for one that is not in the store's configuration (`SQLSchema.branch`).
    let number: Int32
    /// `Z_ENT` of the parent, 0 for a root.
    let parentNumber: Int32
    let table: SQLTable
    /// `Z_ENT` of the entity and of all entities below it that the store holds, ascending.
    let numbers: ContiguousArray<Int32>
    /// Whether every row of the table is of one of these.
    let isWholeTable: Bool
    /// One a slot; nil for a transient attribute or relationship. Nil also for the entity column of a to-one where an old file lacks it: the
    /// target is then of the destination entity itself.
    let columns: ContiguousArray<SQLColumn?>
    /// One a slot: the order key of a to-one whose inverse is an ordered to-many.
    let orderColumns: ContiguousArray<SQLColumn?>
    /// One a to-many relationship, by its index in the layout; nil for a transient one.
    let toMany: ContiguousArray<SQLToMany?>
    /// The derived attributes that saves compute.
    let derivations: ContiguousArray<OwnDerivation>
    /// Whether triggers compute others.
    let hasTriggeredValues: Bool

    init(
        entity: NSEntityDescription, number: Int32, parentNumber: Int32, table: SQLTable,
        numbers: ContiguousArray<Int32>, isWholeTable: Bool, columns: ContiguousArray<SQLColumn?>,
        orderColumns: ContiguousArray<SQLColumn?>, toMany: ContiguousArray<SQLToMany?>
    ) {
        self.entity = entity
        layout = entity.slotLayout
        ordinal = Int32(entity.ordinal)
        self.number = number
        self.parentNumber = parentNumber
        self.table = table
        self.numbers = numbers
        self.isWholeTable = isWholeTable
        self.columns = columns
        self.orderColumns = orderColumns
        self.toMany = toMany
        let derived = entity.properties.lazy.compactMap { $0 as? NSDerivedAttributeDescription }
        derivations = ContiguousArray(derived.compactMap { OwnDerivation($0, entity.slotLayout) })
        hasTriggeredValues = derivations.count < derived.count
    }
}

import Foundation

/// The bit map of an update's changes in the history, the first column in the highest bit.
///
/// What has a bit: the keys of to-one relationships, then their entity columns, then their order keys, then attributes, then to-many
/// relationships, each kind by name in byte order and inherited ones among them. Transient properties have none.
struct ChangedColumns {
    /// By slot; nil for a transient one.
    private var slotBits: ContiguousArray<Int?>
    private var toManyBits: [String: Int] = [:]
    private var count = 0

    init(_ entity: SQLEntity) {
        let layout = entity.layout
        slotBits = ContiguousArray(repeating: nil, count: layout.slots.count)
        let byName = layout.slots.indices.filter { !layout.slots[$0].property.isTransient }.sorted { left, right in
            let names = (Self.sortName(layout.slots[left]), Self.sortName(layout.slots[right]))
            return names.0 == names.1 ? left < right : names.0.utf8.lexicographicallyPrecedes(names.1.utf8)
        }
        let keys = byName.filter { layout.slots[$0].kind == .toOneKey }
        let entities = byName.filter { layout.slots[$0].kind == .toOneEntity }
        for slot in keys + entities { add(slot) }
        // Nothing says of a record that its place in a list has changed.
        count += keys.filter { entity.orderColumns[$0] != nil }.count
        for slot in byName where layout.slots[slot].property is NSAttributeDescription { add(slot) }
        for entry in layout.toManyEntries.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        where entry.relationship?.isTransient == false {
            toManyBits[entry.name] = count
            count += 1
        }
    }

    private mutating func add(_ slot: Int) {
        slotBits[slot] = count
        count += 1
    }

    /// The elements of a composite stand together in their own order.
    private static func sortName(_ slot: Slot) -> Substring {
        slot.property is NSRelationshipDescription ? slot.property.name[...] : slot.path.prefix { $0 != "." }
    }

    func bits(of update: ChangeSet.Update) -> Data {
        var bits = Data(count: count / 8 + 1)
        func set(_ bit: Int?) {
            if let bit { bits[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        }
        update.changedSlots.forEach { if $0 < slotBits.count { set(slotBits[$0]) } }
        for name in update.changedToMany { set(toManyBits[name]) }
        return bits
    }
}

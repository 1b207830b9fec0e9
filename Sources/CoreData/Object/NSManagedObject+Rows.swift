import Foundation

// Between objects and the rows of a save. One pass measures the texts and bytes, one fills the row; an object whose changed values
// are all of fixed size gets a copy of its row with these words set.

extension NSManagedObject {
    /// What a save does to an object.
    enum Fate { case insert, update, delete }

    /// The whole record as it shall be stored: the snapshot with the changes laid over it.
    /// - Parameter resolve: the permanent key of a temporary one.
    /// - Throws: `NSError` (134060) naming entity and key where a value cannot be stored (too large, a transformer that fails).
    func makeRow(primaryKey: Int64, version: Int64, resolve: (ObjectKey) -> ObjectKey) throws -> Row {
        // A row may be of a more specific entity than the object, whose slots then are the first ones of the row.
        let layout = row?.layout ?? layout
        if let row, overlay.map({ isFixed($0) }) ?? true {
            let writer = RowWriter(copying: row, version: version)
            if let overlay { setFixed(overlay, writer, layout, resolve) }
            return writer.row
        }
        var archives: [Data] = []
        let byteCount = try measure(layout, &archives)
        guard byteCount <= Row.maximumByteCount else {
            throw storingError("Its values take \(byteCount) bytes; a record holds at most \(Row.maximumByteCount).")
        }
        var writer = RowWriter(layout, primaryKey: primaryKey, version: version, commit: 0, byteCount: byteCount)
        fill(&writer, layout, archives, resolve)
        return writer.row
    }

    // MARK: Copies

    /// Whether all changed slots are of fixed size.
    private func isFixed(_ overlay: SlotValues) -> Bool {
        overlay.withUnsafeMutablePointerToElements { values in
            for slot in 0..<overlay.count {
                if case .unset = values[slot] { continue }
                if layout.slots[slot].kind.isVariable { return false }
            }
            return true
        }
    }

    private func setFixed(
        _ overlay: SlotValues, _ writer: RowWriter, _ layout: SlotLayout, _ resolve: (ObjectKey) -> ObjectKey
    ) {
        overlay.withUnsafeMutablePointerToElements { values in
            for slot in 0..<overlay.count {
                switch values[slot] {
                case .unset: break
                case .integer(let number): writer.set(slot, integer: number)
                case .double(let number): writer.set(slot, double: number)
                case .key(let key): setKey(writer, slot, key, layout, resolve)
                case .null:
                    writer.setNull(slot)
                    if isPolymorphic(slot, layout) { writer.setNull(slot + 1) }
                // Transient values; the others are not of fixed size.
                case .string, .data, .uuid, .object, .any: break
                }
            }
        }
    }

    @inline(__always)
    private func setKey(
        _ writer: RowWriter, _ slot: Int, _ key: ObjectKey, _ layout: SlotLayout, _ resolve: (ObjectKey) -> ObjectKey
    ) {
        let key = key.isTemporary ? resolve(key) : key
        writer.set(slot, integer: key.number)
        if isPolymorphic(slot, layout) { writer.set(slot + 1, integer: Int64(key.entity)) }
    }

    @inline(__always)
    private func isPolymorphic(_ slot: Int, _ layout: SlotLayout) -> Bool {
        layout.slots[slot].kind == .toOneKey && slot + 1 < layout.slots.count
            && layout.slots[slot + 1].kind == .toOneEntity
    }

    // MARK: New rows

    /// The bytes that all variable values take. Transformable values are archived now, in slot order.
    private func measure(_ layout: SlotLayout, _ archives: inout [Data]) throws -> Int {
        var total = 0
        for slot in layout.slots.indices where layout.slots[slot].kind.isVariable {
            let kind = layout.slots[slot].kind
            switch overlaid(slot) {
            case .unset:
                if let row, !row.isNull(slot) { total += row.byteCount(slot) }
            case .null, .integer, .double, .key: break
            case .string(let text): total += text.utf8.count
            case .uuid(let uuid): total += kind == .transformable ? try archive(uuid, slot, &archives) : 16
            case .data(let data): total += data.count + (layout.slots[slot].isExternal ? 1 : 0)
            case .object(let object):
                switch kind {
                case .decimal: total += RowWriter.decimalByteCount
                case .uri: total += Self.text(object).utf8.count
                default: total += try archive(object, slot, &archives)
                }
            case .any(let box): total += try archive(box.value, slot, &archives)
            }
        }
        return total
    }

    private func archive(_ value: Any, _ slot: Int, _ archives: inout [Data]) throws -> Int {
        guard let attribute = layout.slots[slot].property as? NSAttributeDescription else { return 0 }
        let data = try ArchivedValue.encode(value, attribute)
        archives.append(data)
        return data.count
    }

    private static func text(_ url: AnyObject) -> String { (url as? NSURL)?.absoluteString ?? "" }

    private func fill(
        _ writer: inout RowWriter, _ layout: SlotLayout, _ archives: [Data], _ resolve: (ObjectKey) -> ObjectKey
    ) {
        var nextArchive = 0
        var slot = 0
        while slot < layout.slots.count {
            let place = layout.slots[slot]
            switch overlaid(slot) {
            case .unset:
                if place.kind != .transient, let row {
                    writer.copy(slot, from: row)
                    if isPolymorphic(slot, layout) { writer.copy(slot + 1, from: row) }
                }
            case .null: break
            case .integer(let number): if place.kind != .transient { writer.set(slot, integer: number) }
            case .double(let number): if place.kind != .transient { writer.set(slot, double: number) }
            case .key(let key): setKey(writer, slot, key, layout, resolve)
            case .string(var text):
                if place.kind != .transient { text.withUTF8 { writer.set(slot, bytes: UnsafeRawBufferPointer($0)) } }
            case .uuid(let uuid): if place.kind == .uuid { writer.set(slot, uuid: uuid) }
            case .data(let data):
                guard place.kind == .data else { break }
                if place.isExternal {
                    ExternalData.inlined(data).withUnsafeBytes { writer.set(slot, bytes: $0) }
                } else {
                    data.withUnsafeBytes { writer.set(slot, bytes: $0) }
                }
            case .object(let object):
                switch place.kind {
                case .decimal: writer.set(slot, decimal: (object as? NSDecimalNumber)?.decimalValue ?? .nan)
                case .uri:
                    var text = Self.text(object)
                    text.withUTF8 { writer.set(slot, bytes: UnsafeRawBufferPointer($0)) }
                case .transformable:
                    archives[nextArchive].withUnsafeBytes { writer.set(slot, bytes: $0) }
                    nextArchive += 1
                default: break
                }
            case .any:
                guard place.kind == .transformable else { break }
                archives[nextArchive].withUnsafeBytes { writer.set(slot, bytes: $0) }
                nextArchive += 1
            }
            slot += isPolymorphic(slot, layout) ? 2 : 1
        }
    }

    @inline(__always)
    private func overlaid(_ slot: Int) -> SlotValue {
        guard let overlay, slot < overlay.count else { return .unset }
        return overlay[slot]
    }

    private func storingError(_ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSCoreDataError,
            userInfo: [
                NSLocalizedDescriptionKey: "An object could not be stored.",
                NSLocalizedFailureReasonErrorKey:
                    "\(objectID.uriRepresentation().absoluteString) (entity \(entityName)): \(reason)",
            ])
    }

    // MARK: After the save

    /// Which slots differ between the snapshot and the new row.
    func changedSlots(to new: Row) -> SlotSet {
        var set = SlotSet(slotCount: new.layout.slots.count)
        guard let row else {
            for slot in new.layout.slots.indices where !new.isNull(slot) { set.insert(slot) }
            return set
        }
        guard let overlay else { return set }
        for slot in 0..<overlay.count where !overlay.isUnset(slot) && layout.slots[slot].kind != .transient {
            if !new.hasEqualValue(slot, as: row) { set.insert(slot) }
            if isPolymorphic(slot, layout), !new.hasEqualValue(slot + 1, as: row) { set.insert(slot + 1) }
        }
        return set
    }

    /// The save is done: the row is the new snapshot, changes are gone, transient values stay, temporary keys become permanent.
    func adoptSaved(_ row: Row, resolve: (ObjectKey) -> ObjectKey) {
        self.row = row
        if let overlay { keepDecoded(of: overlay) }
        overlay = nil
        guard let toMany else { return }
        for relationship in toMany { relationship?.adoptSaved(resolve) }
    }

    /// Saved values that were decoded already, and transient ones, stay: the same instances come back.
    private func keepDecoded(of overlay: SlotValues) {
        for slot in layout.slots.indices {
            let index = Int(layout.slots[slot].decodedIndex)
            guard index >= 0, !overlay.isUnset(slot) else { continue }
            switch layout.slots[slot].kind {
            case .transient, .transformable, .decimal, .uri:
                let values = decoded ?? SlotValues.make(count: layout.decodedCount)
                decoded = values
                values[index] = overlay[slot]
            default:
                decoded?[index] = .unset
            }
        }
    }

    /// Temporary keys that this object's relationships hold become permanent (`obtainPermanentIDs`); for changed objects.
    func replaceKeys(_ resolve: (ObjectKey) -> ObjectKey) {
        if let overlay {
            for slot in 0..<overlay.count {
                if case .key(let key) = overlay[slot], key.isTemporary { overlay[slot] = .key(resolve(key)) }
            }
        }
        guard let toMany else { return }
        for relationship in toMany { relationship?.replaceKeys(resolve) }
    }
}

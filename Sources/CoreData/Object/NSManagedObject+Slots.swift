import Foundation

// Reading and writing single slots: fault check, then changes, then what was decoded, then the row.

extension NSManagedObject {
    // MARK: Faults

    @inline(__always)
    func fireIfFault() {
        if state.contains(.fault) { fireFault() }
    }

    /// Fires the fault by the context, which knows whether a row at hand still is the newest. Without a context and a row every
    /// value is nil.
    @inline(never)
    func fireFault() {
        if state.contains(.firing) { return }
        if isRowAtHandCurrent {
            realiseRowAtHand()
        } else if let context = link.context {
            context.fire(self)
        } else if let row {
            realise(row)
        } else {
            state.remove(.fault)
            state.insert(.inaccessible)
        }
    }

    /// Whether the fault's row will do without a look into the cache: nothing was written to the store since it was read.
    @inline(__always)
    private var isRowAtHandCurrent: Bool {
        guard state.isSuperset(of: [.fault, .registered]), !state.contains(.deletedElsewhere),
            heldLink.look({ $0.usesRowsAtHand }) == true
        else { return false }
        return heldRow.look { row in
            heldStoreLink.look { $0.newest.isThat(of: row) } == true && row.layout === layout
        } == true
    }

    // MARK: Reading

    /// The value a slot has now: never `unset`.
    func value(at slot: Int) -> SlotValue {
        fireIfFault()
        if let overlay {
            let value = overlay[slot]
            if !value.isUnset { return value }
        }
        return baseValue(at: slot)
    }

    /// The value of a slot without the pending changes: the snapshot's, or the default of an unsaved object. Fires no fault.
    func baseValue(at slot: Int) -> SlotValue {
        if layout.slots[slot].kind == .transient { return transientValue(at: slot) }
        guard let row else { return defaultValue(at: slot) }
        return storedValue(row, at: slot)
    }

    /// What a slot of a row holds, decoded once.
    func storedValue(_ row: Row, at slot: Int) -> SlotValue {
        if row.isNull(slot) { return .null }
        let place = layout.slots[slot]
        switch place.kind {
        case .integer, .boolean, .toOneEntity: return .integer(row.integer(slot))
        case .double, .float, .date: return .double(row.double(slot))
        case .uuid: return .uuid(row.uuid(slot))
        case .toOneKey:
            return row.toOne(slot, isPolymorphic: isPolymorphic(slot)).map(SlotValue.key) ?? .null
        case .string: return .string(row === self.row ? text(at: slot) ?? "" : row.string(slot))
        case .data: return .data(data(row, at: slot, place))
        case .decimal, .uri, .transformable:
            return keepDecoded(Int(place.decodedIndex)) { decodeObject(row, slot, place) }
        case .transient: return .null
        }
    }

    @inline(__always)
    private func isPolymorphic(_ slot: Int) -> Bool {
        slot + 1 < layout.slots.count && layout.slots[slot + 1].kind == .toOneEntity
    }

    /// The value kept at the index, made where there is none.
    private func keepDecoded(_ index: Int, _ make: () -> SlotValue) -> SlotValue {
        if let decoded {
            let kept = decoded[index]
            if !kept.isUnset { return kept }
        }
        let made = make()
        storage(decodedIndex: index)[index] = made
        return made
    }

    /// The decoded values, made where there are none.
    private func storage(decodedIndex: Int) -> SlotValues {
        if let decoded { return decoded }
        let made = SlotValues.make(count: layout.decodedCount)
        decoded = made
        return made
    }

    /// Texts this short are part of the `String` itself: decoding them anew costs no more than keeping them.
    private static var shortText: Int { 15 }

    /// The text of the snapshot, nil if it is null; there must be a snapshot.
    ///
    /// Most texts are read once, if at all: what is read a second time is kept.
    @inline(__always)
    func text(at slot: Int) -> String? {
        let index = layout.textIndex(slot)
        if let kept = heldTexts.look({ $0[index] }) ?? nil { return kept }
        return heldRow.look { row in
            if row.hasNoBytes(slot) { return nil }
            if row.byteCount(slot) <= Self.shortText { return row.string(slot) }
            let bit: UInt16 = 1 << UInt16(truncatingIfNeeded: index & 15)
            if textsRead & bit == 0 {
                textsRead |= bit
                return row.string(slot)
            }
            return keepText(row.string(slot), index)
        } ?? nil
    }

    @inline(never)
    private func keepText(_ text: String, _ index: Int) -> String {
        makeTexts()[index] = text
        return text
    }

    func data(_ row: Row, at slot: Int, _ place: Slot) -> Data {
        let index = Int(place.decodedIndex)
        if let decoded, case .data(let data) = decoded[index] { return data }
        let data = place.isExternal ? externalData(row, slot, place) : row.data(slot)
        storage(decodedIndex: index)[index] = .data(data)
        return data
    }

    /// A missing file reads as no bytes: the record is there, and the log says which file is not.
    private func externalData(_ row: Row, _ slot: Int, _ place: Slot) -> Data {
        let file: String
        switch row.withBytes(slot, { Result($0) }) {
        case .inline(let data): return data
        case .file(let name): file = name
        }
        let reason: String
        do {
            if let data = try storeLink?.store?.engine?.externalData(named: file) { return data }
            reason = "the file is missing"
        } catch {
            reason = (error as NSError).localizedFailureReason ?? "\(error)"
        }
        CoreDataLog.error(
            "\(place.path) of \(objectID.uriRepresentation().absoluteString) stands in the external file \(file), which could "
                + "not be read: \(reason)")
        return Data()
    }

    private enum Result {
        case inline(Data)
        case file(String)

        init(_ bytes: UnsafeRawBufferPointer) {
            switch ExternalData(column: bytes) {
            case .inline(let bytes): self = .inline(Data(bytes))
            case .file(let name): self = .file(name)
            }
        }
    }

    private func decodeObject(_ row: Row, _ slot: Int, _ place: Slot) -> SlotValue {
        switch place.kind {
        case .decimal: return .object(NSDecimalNumber(decimal: row.decimal(slot)))
        case .uri: return NSURL(string: row.string(slot)).map(SlotValue.object) ?? .null
        default:
            guard let attribute = place.property as? NSAttributeDescription else { return .null }
            do {
                let value = try ArchivedValue.decode(row.data(slot), attribute)
                return value.flatMap { SlotValue($0, kind: .transformable) } ?? .null
            } catch {
                CoreDataLog.error(
                    "\(place.path) of \(objectID.uriRepresentation().absoluteString) could not be read; nil stands for it: "
                        + ((error as NSError).localizedFailureReason ?? "\(error)"))
                return .null
            }
        }
    }

    /// A transient value that is not among the changes: what was set before the last save, else the model's default.
    private func transientValue(at slot: Int) -> SlotValue {
        if let decoded {
            let value = decoded[Int(layout.slots[slot].decodedIndex)]
            if !value.isUnset { return value }
        }
        return state.contains(.inaccessible) ? .null : defaultValue(at: slot, isUnsaved: true)
    }

    /// The default of an object that is not saved; nil for others.
    private func defaultValue(at slot: Int) -> SlotValue {
        defaultValue(at: slot, isUnsaved: key.isTemporary || state.contains(.inserted))
    }

    private func defaultValue(at slot: Int, isUnsaved: Bool) -> SlotValue {
        guard isUnsaved, state.isDisjoint(with: [.inaccessible, .detached]), let defaults = traits.defaults else {
            return .null
        }
        let value = defaults[slot]
        return value.isUnset ? .null : value
    }

    /// The key a to-one slot points at now.
    @inline(__always)
    func toOneKey(at slot: Int, isPolymorphic: Bool) -> ObjectKey? {
        if !heldOverlay.isEmpty {
            switch heldOverlay.look({ $0[slot] }) {
            case .key(let key): return key
            case .null: return nil
            default: break
            }
        }
        return heldRow.look { $0.toOne(slot, isPolymorphic: isPolymorphic) } ?? nil
    }

    // MARK: Writing

    /// The values that differ from the snapshot, made where there are none.
    @inline(__always)
    var changes: SlotValues {
        if let overlay { return overlay }
        return makeOverlay()
    }

    @inline(never)
    private func makeOverlay() -> SlotValues {
        let made = SlotValues.make(count: layout.slots.count)
        overlay = made
        return made
    }

    /// To be called before a slot is changed by a tracked setter; fires a fault.
    /// - Returns: the place to put the new value.
    @inline(__always)
    func beginChange(_ slot: Int) -> SlotValues {
        if state.contains(.fault) { fireFault() }
        return beginUpkeep(slot)
    }

    /// The same without firing a fault: for the inverses of relationships.
    @inline(__always)
    func beginUpkeep(_ number: Int) -> SlotValues {
        let overlay = changes
        if state.isDisjoint(with: [.untracked, .detached]) {
            if state.isDisjoint(with: [.eventInserted, .eventUpdated])
                || state.isDisjoint(with: [.inserted, .updated])
            {
                beginEvent(overlay)
            }
            overlay.noteChange(number)
        }
        return overlay
    }

    /// The first change since the last `ObjectsDidChange`.
    @inline(never)
    private func beginEvent(_ overlay: SlotValues) {
        overlay.forgetEvent()
        link.context?.willChange(self)
    }

    /// The number of a to-many relationship in the sets of changes.
    @inline(__always)
    func changeNumber(toMany index: Int) -> Int { layout.slots.count + index }

    /// Sets a slot without the object counting as changed by it.
    func setUntracked(_ value: SlotValue, at slot: Int) {
        fireIfFault()
        let place = layout.slots[slot]
        if place.kind == .transient, overlay?.isUnset(slot) ?? true {
            let index = Int(place.decodedIndex)
            storage(decodedIndex: index)[index] = value
        } else {
            changes[slot] = value
        }
    }

    /// Sets a slot; the object counts as changed unless it is inside `awakeFromFetch`.
    func set(_ value: SlotValue, at slot: Int) {
        if state.contains(.untracked) {
            setUntracked(value, at: slot)
        } else {
            beginChange(slot)[slot] = value
        }
    }

    var traits: ObjectTraits { layout.objectTraits }
}

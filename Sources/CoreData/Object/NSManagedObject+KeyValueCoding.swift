import Foundation

extension NSManagedObject: KeyValueCoding {}

// Values by name: what the methods of the class do.

extension NSManagedObject {
    // MARK: Reading

    func readValue(_ key: String) -> Any? {
        guard let entry = layout.entry(named: key) else { return readUnmodelled(key) }
        return readValue(entry)
    }

    func readValue(_ entry: PropertyEntry) -> Any? {
        switch entry.place {
        case .attribute(let slot):
            return value(at: slot).any(kind: traits.kinds[slot])
        case .toOne(let slot, let isPolymorphic):
            return toOneObject(at: slot, isPolymorphic: isPolymorphic)
        case .toMany(let index):
            return collection(index, entry)
        case .composite(let elements):
            return readComposite(elements)
        case .fetched(let index):
            return fetchedObjects(index, entry)
        }
    }

    /// A composite's value: the elements that have one, by name; nil if none has.
    private func readComposite(_ elements: [(name: String, place: PropertyPlace)]) -> [String: Any]? {
        var result: [String: Any] = [:]
        for element in elements {
            switch element.place {
            case .attribute(let slot): result[element.name] = value(at: slot).any(kind: traits.kinds[slot])
            case .composite(let inner): result[element.name] = readComposite(inner)
            case .toOne, .toMany, .fetched: break
            }
        }
        return result.isEmpty ? nil : result
    }

    /// What else key-value coding finds in an object.
    private func readUnmodelled(_ key: String) -> Any? {
        switch key {
        case "self", "SELF": self
        case "objectID": objectID
        case "entity": entity
        case "managedObjectContext": managedObjectContext
        case "isInserted", "inserted": NSNumber(value: isInserted)
        case "isUpdated", "updated": NSNumber(value: isUpdated)
        case "isDeleted", "deleted": NSNumber(value: isDeleted)
        case "isFault", "fault": NSNumber(value: isFault)
        case "hasChanges": NSNumber(value: hasChanges)
        case "hasPersistentChangedValues": NSNumber(value: hasPersistentChangedValues)
        case "faultingState": NSNumber(value: faultingState)
        case "description": description
        case "hash": NSNumber(value: hash)
        default: ComputedProperties.value(of: self, key) ?? value(forUndefinedKey: key)
        }
    }

    func readValue(path: String) -> Any? {
        guard path.contains(".") else { return value(forKey: path) }
        return KeyPathReader.value(of: self, keyPath: path)
    }

    // MARK: Writing

    func writeValue(_ value: Any?, _ key: String, isPrimitive: Bool) {
        guard let entry = layout.entry(named: key) else {
            setValue(value, forUndefinedKey: key)
            return
        }
        guard isPrimitive, !state.contains(.untracked) else {
            writeValue(value, entry)
            return
        }
        // Relationships are changed with all that belongs to it: an inverse that is one-sided would be worse.
        if case .attribute(let slot) = entry.place {
            setUntracked(slotValue(value, slot, entry), at: slot)
        } else {
            writeValue(value, entry)
        }
    }

    func writeValue(_ value: Any?, _ entry: PropertyEntry) {
        switch entry.place {
        case .attribute(let slot):
            set(slotValue(value, slot, entry), at: slot)
        case .toOne(let slot, let isPolymorphic):
            setToOne(entry, slot, isPolymorphic: isPolymorphic, to: object(from: value, entry))
        case .toMany(let index):
            setMembers(index, entry, to: value)
        case .composite(let elements):
            writeComposite(value, elements, entry)
        case .fetched:
            objectMisuse(
                "\(entityName).\(entry.name) is a fetched property: setValue(_:forKey:) cannot change what a fetch gives"
            )
        }
    }

    /// The value to keep of what a setter was given.
    func slotValue(_ value: Any?, _ slot: Int, _ entry: PropertyEntry) -> SlotValue {
        guard let value else { return .null }
        let kind = traits.kinds[slot]
        if let kept = SlotValue(value, kind: kind) { return kept }
        // An optional in an `Any`.
        guard let inner = unwrapped(value) else { return .null }
        if let kept = SlotValue(inner, kind: kind) { return kept }
        let attribute = layout.slots[slot].property as? NSAttributeDescription
        refuseType(
            "attribute", layout.slots[slot].path, desired: attribute?.attributeValueClassName ?? "\(kind)", given: inner
        )
    }

    private func writeComposite(
        _ value: Any?, _ elements: [(name: String, place: PropertyPlace)], _ entry: PropertyEntry
    ) {
        let dictionary: [String: Any]
        if let value = value.flatMap(unwrapped) {
            guard let given = value as? [String: Any] else {
                refuseType("attribute", entry.name, desired: "NSDictionary", given: value)
            }
            dictionary = given
        } else {
            dictionary = [:]
        }
        if let unknown = dictionary.keys.first(where: { key in !elements.contains { $0.name == key } }) {
            objectMisuse(
                "\(entityName).\(entry.name): the composite has no element '\(unknown)'; it has "
                    + elements.map(\.name).joined(separator: ", "))
        }
        for element in elements {
            let value = dictionary[element.name].flatMap { $0 is NSNull ? nil : $0 }
            switch element.place {
            case .attribute(let slot): set(slotValue(value, slot, entry), at: slot)
            case .composite(let inner): writeComposite(value, inner, entry)
            case .toOne, .toMany, .fetched: break
            }
        }
    }

    func writeValue(_ value: Any?, path: String) {
        guard let dot = path.firstIndex(of: ".") else {
            setValue(value, forKey: path)
            return
        }
        let key = String(path[..<dot])
        let rest = String(path[path.index(after: dot)...])
        if let entry = layout.entry(named: key), case .composite = entry.place {
            writeElement(value, entry, rest)
            return
        }
        KeyPathWriter.set(value, of: self.value(forKey: key), keyPath: rest)
    }

    /// Sets one element of a composite; the others stay.
    private func writeElement(_ value: Any?, _ entry: PropertyEntry, _ path: String) {
        var place = entry.place
        for name in path.split(separator: ".") {
            guard case .composite(let elements) = place, let found = elements.first(where: { $0.name == name }) else {
                objectMisuse("\(entityName).\(entry.name): the composite has no element '\(path)'")
            }
            place = found.place
        }
        switch place {
        case .attribute(let slot): set(slotValue(value, slot, entry), at: slot)
        case .composite(let elements): writeComposite(value, elements, entry)
        case .toOne, .toMany, .fetched: break
        }
    }

    /// `willChangeValue(forKey:)`: the property counts as changed.
    func noteChange(_ key: String) {
        guard let entry = layout.entry(named: key) else { return }
        switch entry.place {
        case .attribute(let slot), .toOne(let slot, _): _ = beginChange(slot)
        case .toMany(let index): _ = beginChange(changeNumber(toMany: index))
        case .composite(let elements): noteChange(elements)
        case .fetched: break
        }
    }

    private func noteChange(_ elements: [(name: String, place: PropertyPlace)]) {
        for element in elements {
            switch element.place {
            case .attribute(let slot): _ = beginChange(slot)
            case .composite(let inner): noteChange(inner)
            case .toOne, .toMany, .fetched: break
            }
        }
    }

    // MARK: Refusals

    var entityName: String { layout.entity.name ?? "" }

    func refuseUnknownKey(_ key: String, _ call: String) -> Never {
        objectMisuse(
            "[<\(type(of: self)) \(addressText)> \(call)]: the entity \(entityName) is not key value coding-compliant for the "
                + "key \"\(key)\".")
    }

    func refuseType(_ what: String, _ property: String, desired: String, given: Any) -> Never {
        objectMisuse(
            "Unacceptable type of value for \(what): property = \"\(property)\"; desired type = \(desired); given type = "
                + "\(type(of: given)); value = \(given). (entity \(entityName))")
    }

    var addressText: String { "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), radix: 16) }
}

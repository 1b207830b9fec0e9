import Foundation

extension Row {
    /// The name of the external file that holds the value of a slot; nil for a value in the row.
    func externalFile(at slot: Int) -> String? {
        if isNull(slot) { return nil }
        return withBytes(slot) { bytes in
            if case .file(let name) = ExternalData(column: bytes) { name } else { nil }
        }
    }
}

extension ChangeSet {
    /// The external files that no row refers to any more once the changes are written: a file is one value's.
    var releasedFiles: [String] {
        var names: [String] = []
        for deletion in deleted {
            for slot in deletion.old.layout.externalSlots {
                if let name = deletion.old.externalFile(at: slot) { names.append(name) }
            }
        }
        for update in updated {
            for slot in update.old.layout.externalSlots where update.changedSlots.contains(slot) {
                if let name = update.old.externalFile(at: slot) { names.append(name) }
            }
        }
        return names
    }
}

extension SaveBatch {
    /// Whether a record may lose a value that lies in an external file by this save.
    var mayReleaseFiles: Bool {
        deleted.contains { refersToFile($0) { _ in true } }
            || updated.contains { object in refersToFile(object) { object.overlay?.isUnset($0) == false } }
    }

    private func refersToFile(_ object: NSManagedObject, where isMeant: (Int) -> Bool) -> Bool {
        guard let row = object.row else { return false }
        if let baseline = baselines.isEmpty ? nil : baselines[ObjectIdentifier(object)] {
            // What is saved over another row may differ from it anywhere.
            return baseline.layout.externalSlots.contains { baseline.externalFile(at: $0) != nil }
        }
        return row.layout.externalSlots.contains { slot in
            isMeant(slot) && row.externalFile(at: slot) != nil
        }
    }
}

extension NSManagedObject {
    /// Takes values out of external files before the object is saved over a record that does not refer to these files any
    /// more: whoever changed it has removed them. What is gone already is what the record has now.
    func holdExternalValues(over stored: Row?) {
        guard let row else { return }
        for slot in layout.externalSlots where overlay?.isUnset(slot) ?? true {
            guard let name = row.externalFile(at: slot), stored.map({ !$0.hasEqualValue(slot, as: row) }) ?? true else {
                continue
            }
            let index = Int(layout.slots[slot].decodedIndex)
            if let data = try? storeLink?.store?.engine?.externalData(named: name) {
                changes[slot] = .data(data)
            } else if case .data(let data) = decoded?[index], !data.isEmpty {
                changes[slot] = .data(data)
            } else {
                decoded?[index] = .unset
                changes[slot] = stored.map { storedValue($0, at: slot) } ?? .null
            }
        }
    }
}

import Foundation

// Before fetch indexes there were "indexed" properties and compound indexes. The framework turns both into fetch indexes:
// one named after the property, and one named after all properties joined by "_".

extension NSManagedObjectModel {
    /// Gives each entity the fetch indexes that its old index marks stand for, before those it has. A mark whose name is
    /// taken, and a compound index whose properties have an index in this order already, add nothing.
    final func convertOldIndexMarks() {
        if hasConvertedIndexMarks { return }
        hasConvertedIndexMarks = true
        for entity in storedEntities {
            entity.convertOldIndexMarks()
        }
    }
}

extension NSEntityDescription {
    fileprivate final func convertOldIndexMarks() {
        var names = Set(indexes.map(\.name))
        var added: [NSFetchIndexDescription] = []
        for property in ownProperties.sorted(by: { $0.name < $1.name }) where property.isMarkedIndexed {
            guard names.insert(property.name).inserted else { continue }
            added.append(Self.ascendingIndex(named: property.name, on: [property]))
        }
        let existing = Set(indexes.map { $0.elements.map { $0.propertyName ?? "" } })
        for compound in recordedCompoundIndexes {
            let properties = compound.compactMap { propertiesByName[$0] }
            let name = compound.joined(separator: "_")
            guard !compound.isEmpty, properties.count == compound.count, !existing.contains(compound),
                names.insert(name).inserted
            else { continue }
            added.append(Self.ascendingIndex(named: name, on: properties))
        }
        if !added.isEmpty { indexes = added + indexes }
    }

    private static func ascendingIndex(
        named name: String, on properties: [NSPropertyDescription]
    ) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name,
            elements: properties.map { NSFetchIndexElementDescription(property: $0, collationType: .binary) })
    }
}

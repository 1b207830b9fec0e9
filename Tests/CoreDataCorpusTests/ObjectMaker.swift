import CoreData
import Foundation

/// Makes objects of any entity with a value in every attribute and in every relationship, so that every column is written.
final class ObjectMaker {
    let context: NSManagedObjectContext
    /// The columns that triggers set, as `TABLE.COLUMN`: not worth a value.
    private let triggerColumns: Set<String>
    private let columns: ExpectedColumns
    private var count = 0
    /// The values given, by object and attribute, as they must be stored.
    private(set) var values: [NSManagedObject: [String: RawValue]] = [:]
    /// The order given to members of ordered relationships.
    private(set) var orders:
        [(owner: NSManagedObject, relationship: NSRelationshipDescription, members: [NSManagedObject])] =
            []

    init(_ context: NSManagedObjectContext, _ columns: ExpectedColumns, triggerColumns: Set<String>) {
        self.context = context
        self.columns = columns
        self.triggerColumns = triggerColumns
    }

    /// An object of the entity with all that its mandatory relationships ask for.
    func make(_ entity: NSEntityDescription) -> NSManagedObject {
        let object = bare(entity)
        complete(object, depth: 0)
        return object
    }

    private func bare(_ entity: NSEntityDescription) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.title, into: context)
        count += 1
        for (path, attribute) in entity.allStoredAttributes where canSet(entity, path, attribute) {
            if let value = setNewValue(path, attribute, of: object) { values[object, default: [:]][path] = value }
        }
        return object
    }

    func canSet(_ entity: NSEntityDescription, _ path: String, _ attribute: NSAttributeDescription) -> Bool {
        guard !(attribute is NSDerivedAttributeDescription), let column = columns.value(entity, path) else {
            return false
        }
        return !triggerColumns.contains(ExpectedColumns.table(of: entity) + "." + column)
    }

    /// Sets the first of some values that the attribute's validation lets pass and that it does not have.
    ///
    /// - Returns: it, as it must be stored; nil if there is none.
    func setNewValue(_ name: String, _ attribute: NSAttributeDescription, of object: NSManagedObject) -> RawValue? {
        let current = AttributeForm.shown(object.value(forKey: name), attribute)
        for candidate in Self.candidates(attribute.attributeType, count) {
            var value: Any? = candidate
            let stored = AttributeForm.shown(candidate, attribute)
            guard stored != current, (try? object.validateValue(&value, forKey: name)) != nil else { continue }
            object.setValue(candidate, forKey: name)
            return stored
        }
        return nil
    }

    private static func candidates(_ type: NSAttributeType, _ count: Int) -> [Any] {
        let small = [1, 0, 2, 10, 100, -1]
        switch type {
        case .integer16AttributeType: return ([7_000 + count % 20_000] + small).map { NSNumber(value: $0) }
        case .integer32AttributeType: return ([100_000 + count] + small).map { NSNumber(value: $0) }
        case .integer64AttributeType: return ([5_000_000_000 + count] + small).map { NSNumber(value: $0) }
        case .booleanAttributeType: return [NSNumber(value: count % 2 == 0), NSNumber(value: count % 2 != 0)]
        case .doubleAttributeType:
            return ([Double(count) + 0.1, 0.5] + small.map(Double.init)).map { NSNumber(value: $0) }
        case .floatAttributeType:
            return ([Float(count) + 0.1, 0.5] + small.map(Float.init)).map { NSNumber(value: $0) }
        case .decimalAttributeType: return [NSDecimalNumber(string: "\(count).37"), NSDecimalNumber(string: "0.5"), 1]
        case .dateAttributeType:
            return [700_000_000.125, 700_000_000].map { Date(timeIntervalSinceReferenceDate: $0 + Double(count)) }
        case .stringAttributeType:
            return [
                "wörter № \(count)", "w\(count)", "\(count)", "A title \(count)", String(repeating: "w", count: 20),
                "http://example.org/\(count)", "",
            ]
        case .URIAttributeType: return [URL(string: "https://example.org/\(count)?q=%20")].compactMap { $0 }
        case .UUIDAttributeType: return [UUID()]
        case .binaryDataAttributeType, .transformableAttributeType: return [Data([0, 1, 2, UInt8(count % 256), 255])]
        default: return []
        }
    }

    // MARK: Relationships

    /// Of an entity and those below it the last that is not abstract: the one that tells `Z_ENT` columns apart.
    func concrete(_ entity: NSEntityDescription) -> NSEntityDescription {
        var all = [entity]
        var index = 0
        while index < all.count {
            all += all[index].subentities
            index += 1
        }
        return all.filter { !$0.isAbstract }
            .max { (columns.numbers[$0.title] ?? 0) < (columns.numbers[$1.title] ?? 0) } ?? entity
    }

    private func complete(_ object: NSManagedObject, depth: Int) {
        guard depth < 8 else { return }
        for relationship in object.entity.storedRelationships where !relationship.isOptional {
            let wanted = relationship.isToMany ? relationship.minCount : 1
            let missing = wanted - members(object, relationship)
            for _ in 0..<max(missing, 0) {
                guard let destination = relationship.destinationEntity else { continue }
                let target = bare(concrete(destination))
                connect(object, relationship, target)
                complete(target, depth: depth + 1)
            }
        }
    }

    private func members(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Int {
        switch object.value(forKey: relationship.name) {
        case nil: 0
        case let set as NSOrderedSet: set.count
        case let set as Set<NSManagedObject>: set.count
        default: 1
        }
    }

    private func connect(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ target: NSManagedObject
    ) {
        if !relationship.isToMany {
            object.setValue(target, forKey: relationship.name)
        } else if relationship.isOrdered {
            object.mutableOrderedSetValue(forKey: relationship.name).add(target)
        } else {
            object.mutableSetValue(forKey: relationship.name).add(target)
        }
    }

    /// Gives every relationship that is still empty new members, several and in an order of their own where it may have them.
    func connectAll(_ object: NSManagedObject) {
        for relationship in object.entity.storedRelationships where members(object, relationship) == 0 {
            guard let destination = relationship.destinationEntity else { continue }
            var wanted = relationship.isToMany ? 3 : 1
            if relationship.maxCount > 0 { wanted = min(wanted, relationship.maxCount) }
            let made = (0..<wanted).map { _ in make(concrete(destination)) }
            let targets = made.suffix(1) + made.dropLast()
            targets.forEach { connect(object, relationship, $0) }
            if relationship.isOrdered { orders.append((object, relationship, Array(targets))) }
        }
    }
}

import CoreDataSQLite
import Foundation

/// Under which tables and columns a store file keeps what its model names.
package struct StoreNames: Sendable {
    package struct Entity: Sendable {
        package let name: String
        /// `Z_ENT`.
        package let number: Int32
        package let table: String
        /// The column of each stored attribute and to-one relationship, by property name; those of a composite's elements by
        /// `composite.element`.
        package let columns: [String: String]
        /// Where a to-many relationship finds its members, by property name.
        package let toMany: [String: Place]
    }

    /// A table with keys.
    package struct Place: Sendable, Equatable {
        package let table: String
        /// The column with the owner's key.
        package let owner: String
        /// The column with the member's key; nil where the table is the members' own.
        package let member: String?
    }

    /// In order of their numbers.
    package let entities: [Entity]
    /// Tables of many-to-many relationships.
    package let joinTables: [String]

    /// - Parameters:
    ///   - model: is frozen.
    ///   - connection: in a read transaction.
    /// - Throws: an error of `NSCocoaErrorDomain` where the file lacks a table or a column that the model asks for.
    package init(_ model: NSManagedObjectModel, _ connection: SQLiteConnection, url: URL?) throws {
        model.freeze()
        let plan = SchemaPlan(
            model: model, configuration: nil, fileNumbers: try StoreFile.entityNumbers(connection))
        let schema: SQLSchema
        do {
            schema = try SQLSchema(plan, file: StoreFile.tables(connection))
        } catch {
            throw StoreError.translated(error, .read, url: url)
        }
        entities = schema.entitiesInOrder.map(Self.names)
        joinTables = schema.joins.map(\.name)
    }

    private static func names(_ entity: SQLEntity) -> Entity {
        var columns: [String: String] = [:]
        for (slot, column) in zip(entity.layout.slots, entity.columns) where slot.kind != .toOneEntity {
            columns[slot.path] = column?.name
        }
        var toMany: [String: Place] = [:]
        for (entry, place) in zip(entity.layout.toManyEntries, entity.toMany) {
            switch place {
            case .foreignKey(let key)?:
                toMany[entry.name] = Place(table: key.table.name, owner: key.key.name, member: nil)
            case .join(let join)?:
                toMany[entry.name] = Place(
                    table: join.table.name, owner: join.owner.name, member: join.member.name)
            case nil: break
            }
        }
        return Entity(
            name: entity.entity.name ?? "", number: entity.number, table: entity.table.name, columns: columns,
            toMany: toMany)
    }
}

import CoreData
import Foundation
import TestSupport

// Foundation has a type of this name too, which cannot be made on Linux.
typealias NSExpression = CoreData.NSExpression

/// Sales in shops in towns, with an attribute of each type that can be compared.
final class Shops {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    private let directory: TemporaryDirectory
    let url: URL

    static func model() -> NSManagedObjectModel {
        let town = Office.entity("Town", [Office.attribute("name", .stringAttributeType)])
        let shop = Office.entity("Shop", [Office.attribute("name", .stringAttributeType)])
        let market = Office.entity("Market", [Office.attribute("stalls", .integer16AttributeType)])
        shop.subentities = [market]
        let sale = Office.entity(
            "Sale",
            [
                Office.attribute("kind", .stringAttributeType), Office.attribute("small", .integer16AttributeType),
                Office.attribute("amount", .integer32AttributeType), Office.attribute("big", .integer64AttributeType),
                Office.attribute("price", .doubleAttributeType), Office.attribute("ratio", .floatAttributeType),
                Office.attribute("cost", .decimalAttributeType), Office.attribute("isPaid", .booleanAttributeType),
                Office.attribute("day", .dateAttributeType), Office.attribute("code", .UUIDAttributeType),
                Office.attribute("site", .URIAttributeType), Office.attribute("scan", .binaryDataAttributeType),
                Office.attribute("mood", .stringAttributeType, isTransient: true),
            ])
        Office.relate(shop, "town", to: town, "shops", toMany: true)
        Office.relate(sale, "shop", to: shop, "sales", toMany: true)
        let model = NSManagedObjectModel()
        model.entities = [town, shop, market, sale]
        return model
    }

    init(_ kind: OfficeStack.Kind = .file) throws {
        directory = try TemporaryDirectory()
        url = directory.url("shops.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: kind == .file ? NSSQLiteStoreType : NSInMemoryStoreType, configurationName: nil,
            at: kind == .file ? url : nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try fill()
    }

    deinit { for store in coordinator.persistentStores { try? coordinator.remove(store) } }

    /// Six sales: three of kind "book" in two shops, two of kind "pen", and one without any value.
    private func fill() throws {
        let bonn = context.insert("Town", ["name": "Bonn"])
        let north = context.insert("Shop", ["name": "North", "town": bonn])
        let south = context.insert("Market", ["name": "South", "stalls": 3])
        for (index, kind) in ["book", "pen", "book", "pen", "book"].enumerated() {
            context.insert(
                "Sale",
                [
                    "kind": kind, "small": index, "amount": 10 * (index + 1), "big": Int(1) << 40 + index,
                    "price": Double(index) + 0.5, "ratio": Float(index) / 4,
                    "cost": Decimal(string: "0.\(index + 1)"), "isPaid": index % 2 == 0,
                    "day": Date(timeIntervalSinceReferenceDate: Double(index) * 100),
                    "code": UUID(uuidString: "00000000-0000-0000-0000-00000000000\(index)"),
                    "site": URL(string: "https://a.org/\(index)"), "scan": Data([UInt8(index), 7]),
                    "shop": index < 3 ? north : south,
                ])
        }
        context.insert("Sale")
        try context.save()
        context.reset()
    }

    func request(
        _ columns: [Any], of entity: String = "Sale", by groups: [Any]? = nil, having: NSPredicate? = nil,
        where predicate: String? = nil, sort: [NSSortDescriptor] = []
    ) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        request.havingPredicate = having
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = sort
        return request
    }

    static func column(
        _ name: String, _ expression: NSExpression, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = expression
        description.expressionResultType = type
        return description
    }

    /// `function:(key)`
    static func aggregate(
        _ function: String, _ key: String, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        column(
            "\(function)_\(key)",
            NSExpression(forFunction: function + ":", arguments: [NSExpression(forKeyPath: key)]), type)
    }

    /// The one value of one row.
    func value(_ column: NSExpressionDescription, where predicate: String? = nil) throws -> Any? {
        let rows = try context.fetch(request([column], where: predicate))
        guard rows.count == 1 else { throw Subprocess.Failure(description: "\(rows)") }
        return rows[0][column.name]
    }
}

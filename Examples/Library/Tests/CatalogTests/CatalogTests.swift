import CoreData
import Testing

@testable import Catalog

/// A class of the test bundle.
final class Fixture: NSManagedObject {
    @NSManaged var label: String?
}

struct CatalogTests {
    @Test func classesOfTheLibraryAreFound() throws {
        let context = try Catalog.container().viewContext
        let novel = NSEntityDescription.insertNewObject(forEntityName: "Novel", into: context)
        #expect(novel is Novel)
        (novel as? Novel)?.note = "internal"
        #expect(novel.value(forKey: "note") as? String == "internal")
    }

    @Test func aClassOfTheTestBundleIsFound() throws {
        let container = NSPersistentContainer(name: "Fixture")
        let memory = NSPersistentStoreDescription()
        memory.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [memory]
        container.loadPersistentStores { #expect($1 == nil) }
        let object = NSEntityDescription.insertNewObject(forEntityName: "Fixture", into: container.viewContext)
        let fixture = try #require(object as? Fixture)
        fixture.label = "x"
        #expect(fixture.value(forKey: "label") as? String == "x")
        #expect(NSExpression(forKeyPath: \Fixture.label).keyPath == "label")
    }
}

import CoreData
import Foundation
import TestSupport
import Testing

/// Nodes in both stores, leaves in the second only. Relationships cannot lead from one store to another.
@Suite struct StoreChoiceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let left: NSPersistentStore
    private let right: NSPersistentStore
    private let context: NSManagedObjectContext
    private let directory: TemporaryDirectory

    init() throws {
        let node = Office.entity("Node", [Office.attribute("name", .stringAttributeType)])
        let leaf = Office.entity("Leaf", [Office.attribute("name", .stringAttributeType)])
        Office.relate(node, "parent", to: node, "children", toMany: true)
        Office.relate(leaf, "node", to: node, "leaves", toMany: true)
        let model = NSManagedObjectModel()
        model.entities = [node, leaf]
        model.setEntities([node], forConfigurationName: "Left")
        model.setEntities([node, leaf], forConfigurationName: "Right")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        directory = try TemporaryDirectory()
        left = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Left", at: directory.url("left.sqlite"))
        right = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Right", at: directory.url("right.sqlite"))
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func node(_ name: String, in store: NSPersistentStore? = nil) -> NSManagedObject {
        let node = context.insert("Node", ["name": name])
        if let store { context.assign(node, to: store) }
        return node
    }

    /// Name and parent's name of all nodes of a store.
    private func rows(_ store: NSPersistentStore) throws -> String {
        try sqlite3(
            try #require(store.url),
            "SELECT group_concat(row, ' ') FROM (SELECT n.ZNAME || '<' || ifnull(p.ZNAME, '') row"
                + " FROM ZNODE n LEFT JOIN ZNODE p ON p.Z_PK = n.ZPARENT ORDER BY n.ZNAME)")
    }

    @Test func aNewObjectGoesToTheStoreOfTheSavedOneItIsRelatedTo() throws {
        let first = node("first")
        let root = node("root", in: right)
        try context.save()
        let child = node("child")
        child.setValue(root, forKey: "parent")
        #expect(child.value(forKey: "parent") as? NSManagedObject === root)
        try context.save()
        #expect(first.objectID.persistentStore === left)
        #expect(child.objectID.persistentStore === right)
        #expect(try rows(left) == "first<")
        #expect(try rows(right) == "child<root root<")
    }

    @Test func relatedNewObjectsFollowWhicheverEndIsSetFirst() throws {
        let root = node("root", in: right)
        try context.save()
        let (child, grandchild) = (node("child"), node("grandchild"))
        grandchild.setValue(child, forKey: "parent")
        root.mutableSetValue(forKey: "children").add(child)
        let sibling = node("sibling")
        child.mutableSetValue(forKey: "children").add(sibling)
        try context.save()
        #expect(try rows(left) == "")
        #expect(try rows(right) == "child<root grandchild<child root< sibling<child")
    }

    @Test func whatIsRelatedToOneThatFollowsIsInTheSameStoreThoughItCameFirst() throws {
        let root = node("root", in: right)
        try context.save()
        let grandchild = node("grandchild")
        let child = node("child")
        grandchild.setValue(child, forKey: "parent")
        child.setValue(root, forKey: "parent")
        try context.save()
        #expect(try rows(left) == "")
        #expect(try rows(right) == "child<root grandchild<child root<")
    }

    @Test func newObjectsGoToAStoreThatCanBeWritten() throws {
        let urls = [left, right].map(\.url)
        for store in [left, right] { try coordinator.remove(store) }
        let readOnly = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Left", at: urls[0],
            options: [NSReadOnlyPersistentStoreOption: true])
        let writable = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: "Right", at: urls[1])
        _ = node("lone")
        try context.save()
        let (root, child) = (node("root"), node("child"))
        child.setValue(root, forKey: "parent")
        try context.save()
        #expect(try rows(readOnly) == "")
        #expect(try rows(writable) == "child<root lone< root<")
    }

    @Test func newObjectsGoToTheStoreThatOneOfThemIsAssignedTo() throws {
        let (root, child) = (node("root"), node("child"))
        child.setValue(root, forKey: "parent")
        context.assign(root, to: right)
        try context.save()
        #expect(try rows(right) == "child<root root<")
    }

    @Test func newObjectsGoToTheStoreThatHoldsThemAll() throws {
        let root = node("root")
        let leaf = context.insert("Leaf", ["name": "leaf"])
        leaf.setValue(root, forKey: "node")
        try context.obtainPermanentIDs(for: [root])
        try context.save()
        #expect(root.objectID.persistentStore === right)
        #expect(
            try sqlite3(try #require(right.url), "SELECT l.ZNAME FROM ZLEAF l JOIN ZNODE n ON n.Z_PK = l.ZNODE")
                == "leaf")
    }

    @Test func anIDTakenBeforeTheStoreWasKnownStaysTheObjects() throws {
        let root = node("root", in: right)
        try context.save()
        let child = node("child")
        let id = child.objectID
        child.setValue(root, forKey: "parent")
        #expect(child.objectID == id)
        #expect(context.registeredObject(for: id) === child)
    }

    @Test func relatedObjectsThatWereAssignedToTwoStoresAreNotSaved() throws {
        let (root, child) = (node("root"), node("child"))
        child.setValue(root, forKey: "parent")
        context.assign(root, to: right)
        context.assign(child, to: left)
        #expect(errorCode { try context.save() } == NSManagedObjectExternalRelationshipError)
        #expect(errorCode { try context.obtainPermanentIDs(for: [root]) } == NSManagedObjectExternalRelationshipError)
        #expect(try rows(left) == "")
        #expect(try rows(right) == "")
        child.setValue(nil, forKey: "parent")
        try context.save()
        #expect(try rows(left) == "child<")
        #expect(try rows(right) == "root<")
    }
}

import CoreData
import CoreDataSQLite
import Foundation

/// W6d: messages with a sender, labels and attachments that go with them, history on; half of the messages are deleted by a
/// predicate. The other side does the same by hand-written set-based SQL on the same file.
enum RelatedModel {
    static func make() -> NSManagedObjectModel {
        let attachment = entity("Attachment")
        let label = entity("Label")
        let message = entity("Message")
        let sender = entity("Sender")
        let pairs: [(NSEntityDescription, String, Int, NSDeleteRule, NSEntityDescription, String, Int)] = [
            (message, "sender", 1, .nullifyDeleteRule, sender, "messages", 0),
            (message, "labels", 0, .nullifyDeleteRule, label, "messages", 0),
            (message, "attachments", 0, .cascadeDeleteRule, attachment, "message", 1),
        ]
        attachment.properties = [PersonModel.attribute("size", .integer64AttributeType)]
        label.properties = [PersonModel.attribute("name", .stringAttributeType)]
        message.properties = [
            PersonModel.attribute("number", .integer64AttributeType),
            PersonModel.attribute("text", .stringAttributeType),
        ]
        sender.properties = [PersonModel.attribute("name", .stringAttributeType)]
        for (owner, name, maxCount, rule, other, inverse, inverseMax) in pairs {
            let forth = PersonModel.relationship(name, to: other, maxCount: maxCount, rule: rule)
            let back = PersonModel.relationship(inverse, to: owner, maxCount: inverseMax)
            forth.inverseRelationship = back
            back.inverseRelationship = forth
            owner.properties += [forth]
            other.properties += [back]
        }
        let model = NSManagedObjectModel()
        model.entities = [attachment, label, message, sender]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private static var options: [String: NSObject] { [NSPersistentHistoryTrackingKey: NSNumber(value: true)] }

    /// `count` / 4 messages, each with a sender, two labels and an attachment.
    static func makeFile(_ path: String, count: Int) throws {
        let container = try OurSide.open(path, make(), options: options)
        let context = container.viewContext
        func insert(_ name: String) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        }
        let senders = (0..<100).map { _ in insert("Sender") }
        let labels = (0..<20).map { _ in insert("Label") }
        for number in 0..<max(4, count / 4) {
            let message = insert("Message")
            message.setValue(number, forKey: "number")
            message.setValue("Message number \(number)", forKey: "text")
            message.setValue(senders[number % senders.count], forKey: "sender")
            let both = NSSet(array: [labels[number % labels.count], labels[(number + 7) % labels.count]])
            message.setValue(both, forKey: "labels")
            let attachment = insert("Attachment")
            attachment.setValue(number * 10, forKey: "size")
            attachment.setValue(message, forKey: "message")
        }
        try context.save()
        try container.close()
    }

    static func batchDelete(_ path: String) throws -> Measurement {
        let container = try OurSide.open(path, make(), options: options)
        let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Message")
        fetch.predicate = NSPredicate(format: "number > %d", 10)
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        var measurement = try Measurement {
            _ = try container.viewContext.execute(request)
            return 0
        }
        try container.close()
        measurement.checksum = try rowsLeft(in: path)
        return measurement
    }

    /// Rows of all entity, join and change tables, so that both sides are seen to have done the same.
    static func rowsLeft(in path: String) throws -> Double {
        let connection = try SQLiteConnection(path: path, access: .readOnly, busyTimeout: 5)
        var sum = 0.0
        for table in ["ZMESSAGE", "ZATTACHMENT", "ZSENDER", "ZLABEL", "Z_2MESSAGES", "ACHANGE", "ATRANSACTION"] {
            let statement = try connection.prepare("SELECT count(*) FROM \(table)")
            if try statement.step() { sum += statement.double(0) }
        }
        try connection.close()
        return sum
    }

    /// Entities by number: 1 Attachment, 2 Label, 3 Message, 4 Sender.
    static let handWrittenDelete = """
        CREATE TEMP TABLE doomed(pk INTEGER PRIMARY KEY);
        INSERT INTO doomed SELECT Z_PK FROM ZMESSAGE WHERE ZNUMBER > 10;
        CREATE TEMP TABLE doomed_attachment(pk INTEGER PRIMARY KEY);
        INSERT INTO doomed_attachment SELECT Z_PK FROM ZATTACHMENT WHERE ZMESSAGE IN (SELECT pk FROM doomed);
        DELETE FROM Z_2MESSAGES WHERE Z_3MESSAGES IN (SELECT pk FROM doomed);
        DELETE FROM ZATTACHMENT WHERE Z_PK IN (SELECT pk FROM doomed_attachment);
        DELETE FROM ZMESSAGE WHERE Z_PK IN (SELECT pk FROM doomed);
        INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP)
            SELECT Z_MAX + 1, 16002, 0 FROM Z_PRIMARYKEY WHERE Z_ENT = 16002;
        UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = 16002;
        INSERT INTO ACHANGE(Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 16001, 2, 3, pk, (SELECT max(Z_PK) FROM ATRANSACTION) FROM doomed;
        INSERT INTO ACHANGE(Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 16001, 2, 1, pk, (SELECT max(Z_PK) FROM ATRANSACTION) FROM doomed_attachment;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001;
        """
}

import CoreData
import Foundation
import TestSupport

@testable import CoreDataTool

/// Notes in folders; a note may have a large attachment, kept outside of the database.
enum SmallModel {
    static func make() -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let attachment = NSAttributeDescription()
        attachment.name = "attachment"
        attachment.attributeType = .binaryDataAttributeType
        attachment.isOptional = true
        attachment.allowsExternalBinaryDataStorage = true
        let folder = NSEntityDescription()
        folder.name = "Folder"
        let notes = NSRelationshipDescription()
        notes.name = "notes"
        notes.destinationEntity = note
        notes.deleteRule = .cascadeDeleteRule
        let inverse = NSRelationshipDescription()
        inverse.name = "folder"
        inverse.destinationEntity = folder
        inverse.maxCount = 1
        notes.inverseRelationship = inverse
        inverse.inverseRelationship = notes
        note.properties = [text, attachment, inverse]
        folder.properties = [notes]
        let model = NSManagedObjectModel()
        model.entities = [folder, note]
        return model
    }

    /// The same model as a source, `Notes.xcdatamodel`.
    static func sourceModel(in folder: TemporaryDirectory) throws -> URL {
        let model = folder.url.appendingPathComponent("Notes.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Folder"><relationship name="notes" toMany="YES" deletionRule="Cascade" destinationEntity="Note"
             inverseName="folder" inverseEntity="Note" optional="YES"/></entity>
            <entity name="Note"><attribute name="attachment" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <relationship name="folder" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" inverseName="notes"
             inverseEntity="Folder" optional="YES"/></entity></model>
            """
        try Data(xml.utf8).write(to: model.appendingPathComponent("contents"))
        return model
    }

    /// Adds notes in one folder.
    static func add(_ count: Int, to container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
            for index in 0..<count {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("note \(index)", forKey: "text")
                note.setValue(folder, forKey: "folder")
            }
            try context.save()
        }
    }

    /// A store with three notes in a folder.
    ///
    /// - Parameter bytes: the size of an attachment of each note, kept outside of the database as Apple's framework does it.
    static func store(
        in folder: TemporaryDirectory, name: String = "Notes.sqlite", attachment bytes: Int = 0, history: Bool = false
    ) throws -> URL {
        let url = folder.url(name)
        let container = try OpenedStore.open(url, make(), tracksHistory: history, 5)
        try add(3, to: container)
        try container.close()
        if bytes > 0 { try attach(bytes, to: url) }
        return url
    }

    private static func attach(_ bytes: Int, to url: URL) throws {
        let storage = ExternalStorage(storePath: url.path).folderPath
        try FileManager.default.createDirectory(atPath: storage, withIntermediateDirectories: true)
        for key in 1...3 {
            let name = UUID().uuidString
            try Data(repeating: UInt8(key), count: bytes).write(to: URL(fileURLWithPath: storage + "/" + name))
            _ = try sqlite3(
                url, "UPDATE ZNOTE SET ZATTACHMENT = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = \(key)")
        }
    }
}

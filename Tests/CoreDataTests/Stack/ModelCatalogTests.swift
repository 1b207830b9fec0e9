import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Model catalog")
struct ModelCatalogTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func writeModel(_ path: String, entity: String) throws {
        let version = folder.url.appendingPathComponent(path).appendingPathComponent("V1.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let xml = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
                <entity name="\(entity)" representedClassName="NSManagedObject" syncable="YES"/>
            </model>
            """
        try Data(xml.utf8).write(to: version.appendingPathComponent("contents"))
    }

    @Test("a model is found in the first folder that has it, and is the same instance each time")
    func finds() throws {
        try writeModel("b.resources/Trips.xcdatamodeld", entity: "InB")
        try writeModel("c.resources/Trips.xcdatamodeld", entity: "InC")
        let catalog = ModelCatalog(
            folders: ["a.resources", "b.resources", "c.resources"].map { folder.url.appendingPathComponent($0) })
        let model = try catalog.model(named: "Trips", module: nil)
        #expect(model.entities.map(\.name) == ["InB"])
        #expect(try catalog.model(named: "Trips", module: nil) === model)
    }

    @Test("a subclass's module comes first")
    func module() throws {
        try writeModel("Package_App.resources/Trips.xcdatamodeld", entity: "InApp")
        try writeModel("Package_Library.resources/Trips.xcdatamodeld", entity: "InLibrary")
        let catalog = ModelCatalog(
            folders: ["Package_App.resources", "Package_Library.resources"].map {
                folder.url.appendingPathComponent($0)
            })
        #expect(try catalog.model(named: "Trips", module: "Library").entities.map(\.name) == ["InLibrary"])
    }

    @Test("the compiled model is preferred to its source, a folder of versions to a single one")
    func compiled() throws {
        try writeModel("Trips.xcdatamodeld", entity: "InSource")
        func entities() throws -> [String?] {
            try ModelCatalog(folders: [folder.url]).model(named: "Trips", module: nil).entities.map(\.name)
        }
        #expect(try entities() == ["InSource"])
        try ModelFixture.archive(entity: "InFile").write(to: folder.url("Trips.mom"))
        #expect(try entities() == ["InFile"])
        try FileManager.default.createDirectory(at: folder.url("Trips.momd"), withIntermediateDirectories: true)
        try ModelFixture.archive(entity: "InFolder").write(to: folder.url("Trips.momd/Only.mom"))
        #expect(try entities() == ["InFolder"])
    }

    @Test("a folder that comes first wins, whatever form its model has")
    func foldersFirst() throws {
        try writeModel("a.resources/Trips.xcdatamodeld", entity: "InSource")
        try FileManager.default.createDirectory(at: folder.url("b.resources"), withIntermediateDirectories: true)
        try ModelFixture.archive(entity: "InFile").write(to: folder.url("b.resources/Trips.mom"))
        let catalog = ModelCatalog(folders: [folder.url("a.resources"), folder.url("b.resources")])
        #expect(try catalog.model(named: "Trips", module: nil).entities.map(\.name) == ["InSource"])
    }

    @Test("a missing model says where it was looked for, a damaged one which file it is")
    func missing() throws {
        let catalog = ModelCatalog(folders: [folder.url])
        #expect { try catalog.model(named: "Trips", module: nil) } throws: { error in
            ((error as? ModelCatalog.NotFound)?.reason ?? "").contains(folder.path)
        }
        try FileManager.default.createDirectory(at: folder.url("Trips.momd"), withIntermediateDirectories: true)
        #expect { try catalog.model(named: "Trips", module: nil) } throws: { error in
            ((error as? ModelCatalog.NotFound)?.reason ?? "").contains("Trips.momd")
        }
    }
}

private enum ModelFixture {
    /// A compiled model with one entity.
    static func archive(entity name: String) -> Data {
        let (model, entity) = (NSManagedObjectModel(), NSEntityDescription())
        entity.name = name
        model.entities = [entity]
        return ModelArchiveWriter.archive(of: model)
    }
}

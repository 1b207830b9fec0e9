import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Folders of compiled models, whole and damaged.
struct CompiledModelFolderTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ path: String, entity name: String) throws {
        try write(path, ModelArchiveWriter.archive(of: model(entity(name))))
    }

    private func write(_ path: String, _ data: Data) throws {
        let url = folder.url(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private func writeInformation(_ current: String?, format: PropertyListSerialization.PropertyListFormat) throws {
        var list: [String: Any] = ["NSManagedObjectModel_VersionHashes": [String: Any]()]
        list["NSManagedObjectModel_CurrentVersionName"] = current
        try write(
            "M.momd/VersionInfo.plist",
            PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }

    private func entities(_ path: String = "M.momd") throws -> [String?] {
        try NSManagedObjectModel.loadModel(at: folder.url(path)).entities.map(\.name)
    }

    private func reason(_ path: String = "M.momd") -> String {
        do {
            _ = try NSManagedObjectModel.loadModel(at: folder.url(path))
            return "no error"
        } catch {
            #expect(NSManagedObjectModel(contentsOf: folder.url(path)) == nil)
            #expect(error.domain == NSCocoaErrorDomain)
            return error.localizedFailureReason ?? error.localizedDescription
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func theNamedVersionIsRead(_ format: PropertyListSerialization.PropertyListFormat) throws {
        try write("M.momd/V1.mom", entity: "First")
        try write("M.momd/V2.mom", entity: "Second")
        try writeInformation("V1", format: format)
        #expect(try entities() == ["First"])
        try writeInformation("V2", format: format)
        #expect(try entities() == ["Second"])
        let versions = try NSManagedObjectModel.versionURLs(of: folder.url("M.momd")).map(\.lastPathComponent)
        #expect(versions == ["V1.mom", "V2.mom"])
    }

    @Test func theOnlyVersionNeedsNoName() throws {
        try write("M.momd/V1.mom", entity: "First")
        #expect(try entities() == ["First"])
        try writeInformation(nil, format: .binary)
        #expect(try entities() == ["First"])
    }

    @Test func withoutANameTheVersionNamedLikeTheFolderIsRead() throws {
        try write("M.momd/V1.mom", entity: "First")
        try write("M.momd/M.mom", entity: "Base")
        #expect(try entities() == ["Base"])
    }

    @Test func severalVersionsWithoutANameAreAnError() throws {
        try write("M.momd/V1.mom", entity: "First")
        try write("M.momd/V2.mom", entity: "Second")
        #expect(reason().contains("which of its 2 versions"))
        #expect(reason().contains("V1.mom, V2.mom"))
    }

    @Test(arguments: ["Gone", "../V1", "", "V1.mom"])
    func aNameThatLeadsNowhereIsAnError(_ name: String) throws {
        try write("M.momd/V1.mom", entity: "First")
        try write("V1.mom", entity: "Outside")
        try writeInformation(name, format: .binary)
        #expect(reason().contains("The current version '\(name)'"))
    }

    @Test func anEmptyOrMissingFolderIsAnError() throws {
        #expect(reason() != "no error")
        try FileManager.default.createDirectory(at: folder.url("M.momd"), withIntermediateDirectories: true)
        #expect(reason().contains("0 versions"))
    }

    @Test func damagedInformationCountsAsNone() throws {
        try write("M.momd/V1.mom", entity: "First")
        for data in [Data(), Data("bplist00".utf8), Data("<plist><dict>".utf8), Data([0xFF, 0, 1])] {
            try write("M.momd/VersionInfo.plist", data)
            #expect(try entities() == ["First"])
        }
    }

    @Test func deeplyNestedInformationIsPassedOver() throws {
        try write("M.momd/V1.mom", entity: "First")
        let depth = 200_000
        let text =
            "<?xml version=\"1.0\"?><plist version=\"1.0\">" + String(repeating: "<array>", count: depth)
            + String(repeating: "</array>", count: depth) + "</plist>"
        try write("M.momd/VersionInfo.plist", Data(text.utf8))
        #expect(try entities() == ["First"])
        try write("N.xcdatamodeld/V1.xcdatamodel/contents", SourceFolder.xml("<entity name=\"Source\"/>"))
        try write("N.xcdatamodeld/.xccurrentversion", Data(text.utf8))
        #expect(try entities("N.xcdatamodeld") == ["Source"])
    }

    @Test func damagedModelsAreErrors() throws {
        let whole = HostileArchiveTests.archive
        for data in [Data(), Data("not a model".utf8), whole.prefix(whole.count / 2), Data(whole.reversed())] {
            try write("M.mom", data)
            #expect(reason("M.mom") != "no error")
        }
    }

    @Test func aFileBeyondTheBoundIsNotRead() throws {
        try write("M.mom", Data("bplist00".utf8))
        let handle = try FileHandle(forWritingTo: folder.url("M.mom"))
        // A file with a hole takes no room on the disk.
        try handle.truncate(atOffset: UInt64(ModelFileLimit.bytes) + 1)
        try handle.close()
        #expect(reason("M.mom").contains("larger than"))
    }

    @Test func aFolderOrPipeOfAModelsNameIsRefused() throws {
        try FileManager.default.createDirectory(at: folder.url("D.mom"), withIntermediateDirectories: true)
        #expect(reason("D.mom").contains("is no file"))
        #expect(mkfifo(folder.url("P.mom").path, 0o600) == 0)
        #expect(reason("P.mom").contains("is no file"))
    }

    @Test func aLinkIsFollowed() throws {
        try write("real.mom", entity: "Linked")
        try FileManager.default.createSymbolicLink(at: folder.url("L.mom"), withDestinationURL: folder.url("real.mom"))
        #expect(try entities("L.mom") == ["Linked"])
        try FileManager.default.createSymbolicLink(at: folder.url("X.mom"), withDestinationURL: folder.url("gone.mom"))
        #expect(reason("X.mom") != "no error")
    }

    @Test func theOptimisedFormAloneIsAnError() throws {
        try write("M.omo", Data("momv2$".utf8))
        #expect(reason("M.omo").contains("no M.mom beside it"))
        try write("M.mom", entity: "Beside")
        #expect(try entities("M.omo") == ["Beside"])
    }

    @Test func extensionsMayBeInCapitals() throws {
        try write("M.MOM", entity: "Loud")
        #expect(try entities("M.MOM") == ["Loud"])
    }

    // MARK: Bundles

    private func bundle() throws -> Bundle { try #require(Bundle(url: folder.url)) }

    @Test func compiledModelsOfABundleAreMerged() throws {
        try write("M.momd/V1.mom", entity: "First")
        try write("N.mom", entity: "Second")
        try write("O.xcdatamodel/contents", SourceFolder.xml("<entity name=\"Third\"/>"))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle()]))
        #expect(merged.entitiesByName.keys.sorted() == ["First", "Second", "Third"])
    }

    @Test func theSourceOfACompiledModelIsLeftOut() throws {
        try write("M.momd/V1.mom", entity: "Compiled")
        try write("M.xcdatamodeld/V1.xcdatamodel/contents", SourceFolder.xml("<entity name=\"Source\"/>"))
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle()]))
        #expect(merged.entitiesByName.keys.sorted() == ["Compiled"])
    }

    @Test func aStrayFileBesideTheFolderIsMergedToo() throws {
        try write("M.momd/M.mom", entity: "Same")
        try write("M.mom", entity: "Same")
        try write("Stray.mom", entity: "Other")
        try write("Stray.omo", Data())
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle()]))
        #expect(merged.entitiesByName.keys.sorted() == ["Other", "Same"])
    }
}

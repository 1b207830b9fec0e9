import CoreData
import Foundation
import TestSupport
import Testing

/// Damaged archives of Xcode 3: each is read or refused.
@Suite(.enabled(if: Corpus.isUsable, "the corpus is absent"))
struct HostileElementsTests {
    private let folder: TemporaryDirectory
    private let whole: Data

    init() throws {
        folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: folder.url("M.xcdatamodel"), withIntermediateDirectories: true)
        let path = "compiled/RestKit+RestKit/RestKitCoreData@3526dac/RestKitCoreData.xcdatamodeld/"
        whole = try Data(contentsOf: Corpus.url(path + "RestKitCoreData.xcdatamodel/elements"))
    }

    private func isRead(_ data: Data) throws -> Bool {
        try data.write(to: folder.url("M.xcdatamodel/elements"))
        do {
            _ = try NSManagedObjectModel.loadModel(at: folder.url("M.xcdatamodel")).entityVersionHashesByName
            return true
        } catch {
            #expect(error.domain == NSCocoaErrorDomain)
            return false
        }
    }

    @Test func truncationsAreRefused() throws {
        #expect(try isRead(whole))
        for count in stride(from: 0, to: whole.count, by: 701) { #expect(try !isRead(whole.prefix(count))) }
    }

    @Test func noFlippedBitStopsTheProgram() throws {
        var survived = 0
        for position in stride(from: 8, to: whole.count, by: HostileArchiveTests.isSoak ? 1 : 353) {
            var data = whole
            data[position] ^= UInt8(1 << (position % 8))
            if try isRead(data) { survived += 1 }
        }
        #expect(survived > 0)
    }

    @Test func anArchiveOfAnotherKindIsRefused() throws {
        #expect(try !isRead(HostileArchiveTests.archive))
    }
}

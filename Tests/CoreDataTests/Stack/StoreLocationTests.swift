import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("Store location")
struct StoreLocationTests {
    @Test("a path through a symbolic link is the same place")
    func symbolicLinks() throws {
        let folder = try TemporaryDirectory()
        let manager = FileManager.default
        try manager.createDirectory(at: folder.url("real"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "real")
        let direct = folder.url.appendingPathComponent("real/Store.sqlite")
        let linked = folder.url.appendingPathComponent("link/Store.sqlite")
        // The file need not exist.
        #expect(
            try StoreLocation(type: NSSQLiteStoreType, url: direct)
                == StoreLocation(type: NSSQLiteStoreType, url: linked))
        try Data().write(to: direct)
        #expect(
            try StoreLocation(type: NSSQLiteStoreType, url: direct)
                == StoreLocation(type: NSSQLiteStoreType, url: linked))
        try manager.createSymbolicLink(atPath: folder.path("alias.sqlite"), withDestinationPath: "real/Store.sqlite")
        #expect(
            try StoreLocation(type: NSSQLiteStoreType, url: folder.url("alias.sqlite"))
                == StoreLocation(type: NSSQLiteStoreType, url: direct))
    }

    @Test("/dev/null is in memory, and its names are shared")
    func memory() throws {
        func location(_ path: String) throws -> StoreLocation {
            try StoreLocation(type: NSSQLiteStoreType, url: URL(fileURLWithPath: path))
        }
        #expect(try location("/dev/null") == .memory)
        #expect(try location("/dev/null/Trips") == location("/dev/null/Trips"))
        #expect(try location("/dev/null/Trips") != location("/dev/null/Other"))
        #expect(try StoreLocation(type: NSInMemoryStoreType, url: nil) == .memory)
    }

    @Test("an unknown type and a missing URL are errors")
    func errors() {
        let url = URL(fileURLWithPath: "/tmp/x")
        #expect(throwsCode(134000) { _ = try StoreLocation(type: "Nonsense", url: url) })
        #expect(throwsCode(134080) { _ = try StoreLocation(type: NSSQLiteStoreType, url: nil) })
    }
}

@Suite("Default directory")
struct DefaultDirectoryTests {
    @Test("XDG_DATA_HOME decides, if it is an absolute path")
    func xdg() {
        func path(_ environment: [String: String]) -> String {
            DefaultDirectory.url(environment: environment, home: "/home/ada", executable: "trips").path
        }
        #expect(path([:]) == "/home/ada/.local/share/trips")
        #expect(path(["XDG_DATA_HOME": "/data"]) == "/data/trips")
        #expect(path(["XDG_DATA_HOME": "relative"]) == "/home/ada/.local/share/trips")
        #expect(path(["XDG_DATA_HOME": ""]) == "/home/ada/.local/share/trips")
    }
}

/// Whether the body throws an error of `NSCocoaErrorDomain` with that code.
func throwsCode(_ code: Int, _ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch let error as NSError {
        return error.domain == NSCocoaErrorDomain && error.code == code
    }
}

// The main job, step by step: a store with related data and live contexts, all its records deleted with the live objects
// following, then the store destroyed and rebuilt. Once with a SQLite file, once in memory.
//
// With a path as argument it only makes a store there, for `scripts/demo`.
import CoreData
import Foundation

do {
    if CommandLine.arguments.count > 1 {
        try Demo(NSPersistentStoreDescription(url: URL(fileURLWithPath: CommandLine.arguments[1]))).fillOnly()
        exit(0)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("OpenCoreData-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    print("A SQLite store")
    let file = NSPersistentStoreDescription(url: folder.appendingPathComponent("Library.sqlite"))
    try Demo(file).run()

    print("\nAn in-memory store")
    let memory = NSPersistentStoreDescription()
    memory.type = NSInMemoryStoreType
    try Demo(memory).run()
} catch {
    FileHandle.standardError.write(Data("The demo failed: \(error)\n".utf8))
    exit(1)
}

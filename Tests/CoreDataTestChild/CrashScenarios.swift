import CoreDataTestFixtures
import Foundation

/// `crash OPERATION FOLDER JOURNAL`: what the tests kill. Says nothing, so that all its writing is the store's.
func crash() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let operation = CrashOperation(rawValue: arguments[2]) else { exit(64) }
    do {
        try operation.run(in: arguments[3], journal: arguments[4], mark: mark)
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
    // Nothing is closed: the end of the process is the last crash.
    _exit(0)
}

/// A system call that does nothing, for the tracer to see.
private func mark(_ name: String) {
    access("/coredata-mark/" + name, F_OK)
}

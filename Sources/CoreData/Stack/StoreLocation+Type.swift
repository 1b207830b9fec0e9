import Foundation

extension StoreLocation {
    /// Where a store of a type is.
    ///
    /// The path of a file is written without symbolic links, so that one file has one location.
    ///
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 134000 for an unknown type, 134080 where a URL is missing, 134060 for a URL
    ///   that names no file.
    init(type: String, url: URL?) throws {
        switch type {
        case NSInMemoryStoreType:
            self = .memory
        case NSSQLiteStoreType:
            guard let url else { throw StackError.missingURL(type) }
            let location = try StoreLocation(url: url)
            if case .file(let path) = location {
                self = .file(Self.resolved(path))
            } else {
                self = location
            }
        default:
            throw StackError.unknownType(type, url: url)
        }
    }

    /// The path without symbolic links; the file itself, or what is above it, may be missing.
    private static func resolved(_ path: String) -> String {
        if let real = realPath(path) { return real }
        var missing: [String] = []
        var existing = URL(fileURLWithPath: path)
        while existing.path != "/" {
            missing.append(existing.lastPathComponent)
            existing.deleteLastPathComponent()
            if let real = realPath(existing.path) {
                return missing.reversed().reduce(real == "/" ? "" : real) { $0 + "/" + $1 }
            }
        }
        return path
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

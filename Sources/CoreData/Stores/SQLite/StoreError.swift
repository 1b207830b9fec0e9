import CoreDataSQLite
import Foundation

/// The errors of SQLite stores, all in `NSCocoaErrorDomain`.
///
/// Whatever SQLite answered stands under the key `NSSQLiteErrorDomain` as its (extended) result code, the file under
/// `NSFilePath`, the explanation under `reason` and `NSLocalizedFailureReasonErrorKey`.
enum StoreError {
    /// What the store was doing, which decides the code of failures that could be either.
    enum Operation {
        case open
        case read
        case write
    }

    /// What SQLite answered as Core Data's error.
    ///
    /// - 259 the file is damaged (11) or no database (26), 257 and 513 no permission, 640 the disk is full, 512 a file could not
    ///   be made, 256 any other failure, 134180 a broken constraint of the schema.
    static func error(_ error: SQLiteError, _ operation: Operation, url: URL?) -> NSError {
        let code: Int
        switch error.code {
        case SQLITE_CORRUPT, SQLITE_NOTADB: code = CocoaError.Code.fileReadCorruptFile.rawValue
        case SQLITE_FULL: code = CocoaError.Code.fileWriteOutOfSpace.rawValue
        case SQLITE_PERM, SQLITE_AUTH:
            code =
                operation == .write
                ? CocoaError.Code.fileWriteNoPermission.rawValue : CocoaError.Code.fileReadNoPermission.rawValue
        case SQLITE_READONLY: code = CocoaError.Code.fileWriteNoPermission.rawValue
        case SQLITE_CONSTRAINT: code = NSSQLiteError
        case SQLITE_ERROR where operation == .write: code = NSPersistentStoreIncompatibleSchemaError
        default: code = CocoaError.Code.fileReadUnknown.rawValue
        }
        return make(code, error.message, url: url, path: error.path, sqlite: error.extendedCode)
    }

    /// Any error as one of `NSCocoaErrorDomain`: SQLite's are translated, others stay what they are.
    static func translated(_ error: any Error, _ operation: Operation, url: URL?) -> any Error {
        switch error {
        case let error as SQLiteError: return self.error(error, operation, url: url)
        case let error as SchemaMismatch:
            return make(NSPersistentStoreIncompatibleSchemaError, error.reason, url: url)
        default: return error
        }
    }

    static func make(
        _ code: Int, _ reason: String, url: URL?, path: String? = nil, sqlite: Int32? = nil,
        _ more: [String: Any] = [:]
    ) -> NSError {
        var userInfo = more
        userInfo["reason"] = reason
        userInfo[NSLocalizedFailureReasonErrorKey] = reason
        if let url { userInfo[NSURLErrorKey] = url }
        if let path = path ?? url?.path, path != SQLiteConnection.memoryPath { userInfo[NSFilePathErrorKey] = path }
        if let sqlite { userInfo[NSSQLiteErrorDomain] = NSNumber(value: sqlite) }
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
    }

    /// The file behind an open store is another store now, or none.
    static func removed(url: URL?) -> NSError {
        make(
            NSPersistentStoreOperationError,
            "The store was reset, replaced or removed by somebody else; its objects and ids are no longer valid.",
            url: url, url.map { ["NSPersistentStoreURLKey": $0] } ?? [:])
    }

    static func noFile(_ url: URL?) -> NSError {
        make(CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no file.", url: url)
    }

    /// A new file could not be made: 513 for want of permission, else 512 with the system's error number.
    static func cannotCreate(errno code: Int32, url: URL?) -> NSError {
        let isPermission = code == EACCES || code == EPERM || code == EROFS
        return make(
            isPermission
                ? CocoaError.Code.fileWriteNoPermission.rawValue : CocoaError.Code.fileWriteUnknown.rawValue,
            "Failed to create file; code = \(code)", url: url)
    }
}

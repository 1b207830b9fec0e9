import CoreDataSQLite
import Foundation

/// Why a command failed, in words for the person who called it: exit code 1.
struct ToolError: Error {
    /// Stable names, for programs that read the JSON form.
    enum Kind: String {
        case notFound = "not-found"
        case notAFile = "not-a-file"
        case notAStore = "not-a-store"
        case damaged
        case locked
        case readOnly = "read-only"
        case noPermission = "no-permission"
        case noSpace = "no-space"
        case noModel = "no-model"
        case unknownEntity = "unknown-entity"
        case unknownKey = "unknown-key"
        /// A predicate that cannot be understood.
        case predicate
        /// A request that a store cannot carry out.
        case request
        case mirrored
        case backup
        case exists
        case declined
        case other
    }

    let kind: Kind
    /// The file it is about.
    let path: String?
    /// A sentence's rest behind "PATH: ".
    let problem: String
    /// What to do next.
    var advice: String?

    init(_ kind: Kind, _ path: String?, _ problem: String, advice: String? = nil) {
        self.kind = kind
        self.path = path
        self.problem = problem
        self.advice = advice
    }
}

/// Ends a command with exit code 1 where its output has said why.
struct NotAllDone: Error {}

extension ToolError {
    /// An error of the framework or the database as one of the tool's.
    static func explaining(_ error: any Error, _ path: String) -> ToolError {
        switch error {
        case let error as ToolError: error
        case let error as SQLiteError: explaining(error, path)
        default: explaining(error as NSError, path)
        }
    }

    private static func explaining(_ error: SQLiteError, _ path: String) -> ToolError {
        explaining(sqlite: error.code, error.message, path)
            ?? ToolError(.other, path, "SQLite reports error \(error.extendedCode): \(error.message).")
    }

    private static func explaining(sqlite code: Int32, _ message: String, _ path: String) -> ToolError? {
        switch code {
        case 5, 6:
            ToolError(
                .locked, path, "the store is in use by another program.",
                advice: "Close that program, or give it more time with --timeout SECONDS.")
        case 8:
            ToolError(.readOnly, path, "the store cannot be written.", advice: permissionsAdvice)
        case 9, 18:
            ToolError(
                .damaged, path,
                "reading it takes more work than a file of its size can need; its structure is damaged.",
                advice: recoveryAdvice)
        case 11:
            ToolError(.damaged, path, "the database is damaged (\(message)).", advice: recoveryAdvice)
        case 13:
            ToolError(.noSpace, path, "the disk is full.", advice: spaceAdvice)
        case 14, 23, 3:
            ToolError(.noPermission, path, "the file cannot be opened (\(message)).", advice: permissionsAdvice)
        case 26:
            ToolError(.notAStore, path, "it is no SQLite database.", advice: storeAdvice)
        default: nil
        }
    }

    private static func explaining(_ error: NSError, _ path: String) -> ToolError {
        let reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
        if let number = error.userInfo["NSSQLiteErrorDomain"] as? NSNumber,
            let known = explaining(sqlite: number.int32Value & 0xFF, reason ?? "", path)
        {
            return known
        }
        let text = reason ?? error.localizedDescription
        let temporary = (error.userInfo[NSFilePathErrorKey] as? String).map { $0.hasPrefix(NSTemporaryDirectory()) }
        if temporary == true, [4, 512, 513, 640].contains(error.code) {
            return ToolError(
                error.code == 640 ? .noSpace : .noPermission, path,
                "its private copy cannot be made in the temporary folder \(NSTemporaryDirectory()): \(text)",
                advice: "Set TMPDIR to a folder that exists and has room.")
        }
        switch error.code {
        case 4, 260: return ToolError(.notFound, path, "there is no such file.")
        case 257, 513: return ToolError(.noPermission, path, text, advice: permissionsAdvice)
        case 259: return ToolError(.damaged, path, text, advice: recoveryAdvice)
        case 134_100:
            let difference = error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
            return ToolError(
                .noModel, path, text,
                advice: (difference.map { $0 + " " } ?? "")
                    + "Name the model that the store was made with: --model PATH.")
        case 640: return ToolError(.noSpace, path, "the disk is full.", advice: spaceAdvice)
        default: return ToolError(.other, path, text)
        }
    }

    static let storeAdvice =
        "A Core Data store's main file is a SQLite database, often named NAME.sqlite or default.store."
    static let permissionsAdvice = "Check the permissions of the file and its folder (ls -ld), or run as its owner."
    static let recoveryAdvice = "Copy the file with its -wal, and try 'sqlite3 COPY .recover' on the copy."
    static let spaceAdvice = "Make room on the store's disk and in the temporary folder (TMPDIR), and try again."
}

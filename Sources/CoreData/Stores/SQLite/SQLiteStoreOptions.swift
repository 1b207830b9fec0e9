import CoreDataSQLite
import Foundation

/// The options of a SQLite store, checked.
struct SQLiteStoreOptions: Sendable {
    var isReadOnly = false
    /// Seconds to wait for connections and locks.
    var timeout: Double = 5
    /// Largest number of connections that read at once.
    var readers = 4
    /// Names and values, in order of name; `journal_mode` apart.
    var pragmas: [(name: String, value: String)] = []
    /// The journal mode asked for; nil: WAL for a new store, and an existing one keeps what it has.
    var journalMode: String?
    var tracksHistory = false
    var vacuums = false
    var analyzes = false
    var ignoresVersioning = false
    var isForced = false

    init() {}

    /// - Throws: NSCocoaErrorDomain 134060 naming the option, where a pragma's name or value, or the type of an option, is none
    ///   that can be used.
    init(_ options: [AnyHashable: Any]?) throws {
        guard let options else { return }
        isReadOnly = try Self.flag(options, NSReadOnlyPersistentStoreOption)
        tracksHistory = try Self.flag(options, NSPersistentHistoryTrackingKey)
        vacuums = try Self.flag(options, NSSQLiteManualVacuumOption)
        analyzes = try Self.flag(options, NSSQLiteAnalyzeOption)
        ignoresVersioning = try Self.flag(options, NSIgnorePersistentStoreVersioningOption)
        isForced = try Self.flag(options, NSPersistentStoreForceDestroyOption)
        if let value = try Self.number(options, NSPersistentStoreTimeoutOption) {
            timeout = value.isFinite ? min(max(value, 0), 86_400) : 86_400
        }
        if let value = try Self.number(options, NSPersistentStoreConnectionPoolMaxSizeKey) {
            readers = value.isFinite ? Int(min(max(value, 1), 64)) : 4
        }
        try readPragmas(options[NSSQLitePragmasOption])
    }

    /// Pragmas that would break a promise of the store, or that only act on a whole file at once.
    private static let refusedPragmas: Set<String> = [
        "schema_version", "user_version", "application_id", "writable_schema", "encoding", "query_only",
        "data_store_directory", "temp_store_directory", "wal_checkpoint", "incremental_vacuum", "integrity_check",
        "quick_check", "foreign_key_check", "optimize", "shrink_memory", "trusted_schema", "legacy_alter_table",
    ]

    private static let journalModes: Set<String> = ["delete", "truncate", "persist", "memory", "wal", "off"]

    private mutating func readPragmas(_ option: Any?) throws {
        guard let option else { return }
        guard let dictionary = option as? [AnyHashable: Any] ?? (option as? NSDictionary).map(Self.bridged) else {
            throw Self.unusable(NSSQLitePragmasOption, "is no dictionary")
        }
        for (key, value) in dictionary {
            guard let text = key as? String else {
                throw Self.unusable(NSSQLitePragmasOption, "has a key that is no string")
            }
            let name = text.lowercased()
            let isName = !name.isEmpty && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
            guard isName else {
                throw Self.unusable(NSSQLitePragmasOption, "names \"\(text)\", which is no pragma's name")
            }
            guard !Self.refusedPragmas.contains(name) else {
                throw Self.unusable(NSSQLitePragmasOption, "names \"\(text)\", which cannot be set for a store")
            }
            guard let value = (value as? String) ?? (value as? NSNumber)?.stringValue, Self.isValue(value) else {
                throw Self.unusable(NSSQLitePragmasOption, "has no usable value for \"\(text)\"")
            }
            if name == "journal_mode" {
                let mode = value.lowercased()
                guard Self.journalModes.contains(mode) else {
                    throw Self.unusable(NSSQLitePragmasOption, "asks for the unknown journal_mode \"\(value)\"")
                }
                journalMode = mode
            } else {
                pragmas.append((name, value))
            }
        }
        pragmas.sort { $0.name < $1.name }
    }

    /// A word or a number.
    private static func isValue(_ value: String) -> Bool {
        let text = value.utf8
        if text.isEmpty || text.count > 64 { return false }
        return text.enumerated().allSatisfy { index, byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x5F || byte == 0x2E || (index == 0 && byte == 0x2D)
        }
    }

    private static func bridged(_ dictionary: NSDictionary) -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for (key, value) in dictionary {
            if let key = key as? AnyHashable { result[key] = value }
        }
        return result
    }

    private static func flag(_ options: [AnyHashable: Any], _ key: String) throws -> Bool {
        switch options[key] {
        case nil: return false
        case let value as Bool: return value
        case let value as NSNumber: return value.boolValue
        // An archived description of what to do with the option, such as a history's, turns it on.
        case is NSDictionary, is [AnyHashable: Any]: return true
        default: throw unusable(key, "is no truth value")
        }
    }

    private static func number(_ options: [AnyHashable: Any], _ key: String) throws -> Double? {
        switch options[key] {
        case nil: return nil
        case let value as NSNumber: return value.doubleValue
        case let value as Double: return value
        case let value as Int: return Double(value)
        default: throw unusable(key, "is no number")
        }
    }

    private static func unusable(_ option: String, _ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: 134060,
            userInfo: [NSLocalizedFailureReasonErrorKey: "The option \(option) \(reason).", "option": option])
    }
}

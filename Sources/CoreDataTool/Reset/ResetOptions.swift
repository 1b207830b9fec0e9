import CoreData
import CoreDataReset

/// What a `reset` is asked to do.
struct ResetOptions {
    enum Operation: String {
        /// The records go, the store stays.
        case records
        /// A new store takes the place of the old one.
        case store
    }

    let path: String
    let operation: Operation
    /// Only these entities, with those below them; empty: all.
    let entities: [String]
    /// Not these.
    let kept: [String]
    let isDryRun: Bool
    let backup: String?
    let modelPath: String?
    let clearsHistory: Bool
    let allowsMirrored: Bool
    let isConfirmed: Bool
    let wantsJSON: Bool
    let timeout: Double

    /// Whether every record goes.
    var isAll: Bool { entities.isEmpty && kept.isEmpty }

    /// - Throws: `UsageError`
    init(_ arguments: Arguments) throws {
        path = arguments.operands[0]
        switch (arguments.has("--records"), arguments.has("--store")) {
        case (true, false): operation = .records
        case (false, true): operation = .store
        case (true, true):
            throw UsageError("--records and --store exclude each other.", command: "reset")
        case (false, false):
            throw UsageError(
                "say what to reset: --records deletes the records and keeps the store, --store replaces the store by a new one.",
                command: "reset")
        }
        for option in ["--entity", "--keep", "--clear-history"] where operation == .store && arguments.has(option) {
            throw UsageError(
                "\(option) goes with --records only: --store leaves nothing of the store.", command: "reset")
        }
        entities = arguments.values(of: "--entity")
        kept = arguments.values(of: "--keep")
        isDryRun = arguments.has("--dry-run")
        backup = arguments.value(of: "--backup")
        modelPath = arguments.value(of: "--model")
        clearsHistory = arguments.has("--clear-history")
        allowsMirrored = arguments.has("--mirrored")
        isConfirmed = arguments.has("--yes")
        wantsJSON = arguments.wantsJSON
        timeout = try arguments.timeout()
        if backup == "" { throw UsageError("--backup needs a path.", command: "reset") }
    }

    /// The entities as the library takes them.
    var selection: EntitySelection {
        if entities.isEmpty { return kept.isEmpty ? .all : .allBut(Set(kept)) }
        return kept.isEmpty ? .only(Set(entities)) : .among(Set(entities), allBut: Set(kept))
    }
}

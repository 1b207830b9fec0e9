import Foundation

extension CommandSpecification {
    static let reset = CommandSpecification(
        name: "reset",
        summary: "Deletes the records of a store, or puts a new store in its place.",
        usage: [
            "--records [--entity NAME]… [--keep NAME]… [--clear-history] [OPTION]… STORE",
            "--store [OPTION]… STORE",
        ],
        discussion: """
            --records deletes records and keeps the store: relationships are put right, external files go, keys are not given \
            out again. --store replaces everything by a new, empty store with a new identifier. No model file is needed: the \
            model cached in the store is used. Each is one transaction: whatever happens, the store is as before or as after.
            Before anything is deleted the tool shows what, and asks.
            """,
        operand: Operand(placeholder: "STORE", help: "The main file of a SQLite store."),
        options: [
            Option(name: "--records", help: "Delete the records, keep the store."),
            Option(name: "--store", help: "Put a new, empty store in its place."),
            Option(
                name: "--entity", placeholder: "NAME", isRepeatable: true,
                help: "Delete only the records of this entity and those below it, and what their deletion cascades to."),
            Option(
                name: "--keep", placeholder: "NAME", isRepeatable: true,
                help:
                    "Keep the records of this entity and those below it; a cascade that would take one stops the reset."
            ),
            Option(name: "--dry-run", help: "Show what would be deleted; change nothing."),
            Option(
                name: "--backup", placeholder: "PATH", completion: .files,
                help:
                    "First copy the store with its external files to PATH and check the copy. An existing file is never replaced."
            ),
            Option(
                name: "--clear-history",
                help: "Empty the store's history afterwards. Otherwise a store with history records each deletion."),
            Option(
                name: "--model", placeholder: "PATH", completion: .files,
                help: "The model, for a store that holds none: .xcdatamodeld, .xcdatamodel, .momd or .mom."),
            Option(name: "--mirrored", help: "Also reset a store that mirrors CloudKit."),
            Option(name: "--yes", short: "-y", help: "Do not ask."),
            .json, .timeout, .help,
        ],
        examples: [
            Example(
                line: "coredata reset --records --dry-run Library.sqlite", explanation: "What would be deleted?"),
            Example(
                line: "coredata reset --records --keep Setting --backup Before.sqlite Library.sqlite",
                explanation: "Delete everything but the settings, with a copy to go back to."),
            Example(
                line: "coredata reset --store --yes Library.sqlite", explanation: "Start anew, without a question."),
        ]
    ) { arguments, console in
        try Reset(ResetOptions(arguments), console).run()
    }
}

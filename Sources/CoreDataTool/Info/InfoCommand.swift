import CoreData
import Foundation

extension CommandSpecification {
    static let info = CommandSpecification(
        name: "info",
        summary: "Shows what a store holds: entities with their rows, files, metadata, history.",
        usage: ["[--json] STORE"],
        discussion: """
            Nothing changes: no byte of the store, and no name in its folder. Rows that are only in the write-ahead log are \
            counted. A store that a program has open is read beside it, one that nobody has open from a private copy if a log \
            lies beside it.
            """,
        operand: Operand(placeholder: "STORE", help: "The main file of a SQLite store."),
        options: [.json, .timeout, .help],
        examples: [
            Example(line: "coredata info Library.sqlite", explanation: "A summary for people."),
            Example(
                line: "coredata info --json Library.sqlite | jq '.entities[] | {name, rows}'",
                explanation: "Row counts for a program."),
        ]
    ) { arguments, console in
        let snapshot = try StoreSnapshot.read(arguments.operands[0], timeout: arguments.timeout())
        if arguments.wantsJSON {
            console.print(snapshot.json)
        } else {
            InfoListing(snapshot, console).print()
        }
    }
}

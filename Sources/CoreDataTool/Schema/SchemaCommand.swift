import CoreData
import Foundation

extension CommandSpecification {
    static let schema = CommandSpecification(
        name: "schema",
        summary: "Lists a model: entities, attributes, relationships, and where a store keeps them.",
        usage: ["[--json] [--entity NAME]… STORE|MODEL"],
        discussion: """
            The model is the one cached in a store, or a model file: .xcdatamodeld, .xcdatamodel, .momd or .mom. Of a store \
            the table and the column of each property are shown too. Nothing changes.
            """,
        operand: Operand(placeholder: "STORE|MODEL", help: "The main file of a SQLite store, or a model."),
        options: [
            Option(
                name: "--entity", placeholder: "NAME", isRepeatable: true,
                help: "List only this entity. May be given several times."),
            .json, .timeout, .help,
        ],
        examples: [
            Example(line: "coredata schema Library.sqlite", explanation: "The model that the store was made with."),
            Example(
                line: "coredata schema --entity Book Library.xcdatamodeld",
                explanation: "One entity of a model's current version."),
        ]
    ) { arguments, console in
        let source = try SchemaSource(arguments.operands[0], timeout: arguments.timeout())
        let all = source.model.entities.compactMap(\.name)
        let wanted = arguments.values(of: "--entity")
        for name in wanted where source.model.entitiesByName[name] == nil {
            throw ToolError.unknownEntity(name, among: all, source.path)
        }
        let schema = Schema(source, only: wanted.isEmpty ? nil : Set(wanted))
        if arguments.wantsJSON {
            console.print(schema.json)
        } else {
            SchemaListing(schema, console).print()
        }
        for problem in source.problems { console.warn(problem.printable(limit: 1000)) }
    }
}

extension ToolError {
    static func unknownEntity(_ name: String, among names: [String], _ path: String) -> ToolError {
        let near = Suggestion.nearest(to: name, among: names)
        let list = names.sorted().prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        return ToolError(
            .unknownEntity, path, "there is no entity '\(name)'.",
            advice: (near.map { "Did you mean '\($0)'? " } ?? "") + "Its entities are: \(list).")
    }
}

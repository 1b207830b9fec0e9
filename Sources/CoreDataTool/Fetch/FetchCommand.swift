extension CommandSpecification {
    static let fetch = CommandSpecification(
        name: "fetch",
        summary: "Shows the records of an entity: which, in which order, what of them, or how many.",
        usage: ["[OPTION]… STORE ENTITY"],
        discussion: """
            The records of an entity and of those below it, as the file has them now. No model file is needed: the model cached \
            in the store is used. Nothing changes. FORMAT is a predicate as in NSPredicate(format:); dates are written as \
            '2024-05-01' or '2024-05-01T12:00:00Z', records as 'Book/p12'. A KEY is a property, or a path over to-one \
            relationships (author.name). Rows are printed as they are read, so that any number of them takes little memory.
            """,
        operand: Operand(placeholder: "STORE", help: "The main file of a SQLite store."),
        furtherOperands: [Operand(placeholder: "ENTITY", help: "The name of an entity of its model.")],
        options: [
            Option(name: "--where", placeholder: "FORMAT", help: "Only the records for which this predicate holds."),
            Option(
                name: "--sort", placeholder: "KEY[:desc]", isRepeatable: true,
                help:
                    "Sort by this key, upwards or downwards; groups by what is shown of them. May be given several times; the first counts most."
            ),
            Option(
                name: "--columns", placeholder: "KEY,…", isRepeatable: true,
                help:
                    "Show these: properties, paths (author.name), objectID; of a to-many relationship the number. Default: all."
            ),
            Option(name: "--limit", placeholder: "N", help: "At most so many rows."),
            Option(name: "--offset", placeholder: "N", help: "Pass over so many rows first."),
            Option(name: "--count", help: "Only say how many records there are."),
            Option(
                name: "--group-by", placeholder: "KEY", isRepeatable: true,
                help: "One row for each value of this key. May be given several times."),
            Option(
                name: "--aggregate", placeholder: "NAME(KEY)", isRepeatable: true,
                help:
                    "Compute sum, average, min, max or count over each group, or over all records: 'sum(price)', 'count()'."
            ),
            Option(
                name: "--format", placeholder: "FORMAT", completion: .words(FetchFormat.allCases.map(\.rawValue)),
                help: "table (default), json, jsonl (one object a line) or csv."),
            Option(
                name: "--model", placeholder: "PATH", completion: .files,
                help: "The model, for a store that holds none: .xcdatamodeld, .xcdatamodel, .momd or .mom."),
            Option(name: "--json", help: "The same as --format json; errors come as JSON too."),
            .timeout, .help,
        ],
        examples: [
            Example(line: "coredata fetch Library.sqlite Book", explanation: "All books, with all they have."),
            Example(
                line: "coredata fetch Library.sqlite Book --where 'price>10' --sort price:desc --limit 20",
                explanation: "The dearest books."),
            Example(
                line: "coredata fetch Library.sqlite Book --group-by author.name --aggregate 'max(price)'",
                explanation: "What the dearest book of each author costs."),
            Example(
                line: "coredata fetch Library.sqlite Book --format csv",
                explanation: "A table for other programs; jsonl is another form."),
        ]
    ) { arguments, console in
        try Fetch(FetchOptions(arguments), console).run()
    }
}

/// In which form rows are printed.
enum FetchFormat: String, CaseIterable, Sendable {
    case table, json, jsonl, csv
}

/// What `coredata fetch` is asked for, as far as the command line alone tells.
struct FetchOptions {
    struct Sort: Equatable {
        let key: String
        let isAscending: Bool
    }

    struct Aggregate: Equatable {
        enum Function: String, CaseIterable {
            case sum, average, min, max, count
        }

        let function: Function
        /// nil: the records themselves, which are counted.
        let key: String?
        /// As it was given.
        let title: String
    }

    let path: String
    let entity: String
    let format: FetchFormat
    let predicate: String?
    let sort: [Sort]
    /// nil: all properties.
    let columns: [String]?
    let limit: Int
    let offset: Int
    let countsOnly: Bool
    let groups: [String]
    let aggregates: [Aggregate]
    let modelPath: String?
    let timeout: Double

    /// - Throws: `UsageError`
    init(_ arguments: Arguments) throws {
        path = arguments.operands[0]
        entity = arguments.operands[1]
        predicate = arguments.value(of: "--where")
        sort = try arguments.values(of: "--sort").map(Self.sort)
        let columns = arguments.values(of: "--columns").flatMap { $0.split(separator: ",").map(String.init) }
        self.columns = arguments.has("--columns") ? columns.map(Self.trimmed) : nil
        limit = try Self.number(arguments, "--limit")
        offset = try Self.number(arguments, "--offset")
        countsOnly = arguments.has("--count")
        groups = arguments.values(of: "--group-by").flatMap {
            $0.split(separator: ",").map { Self.trimmed(String($0)) }
        }
        aggregates = try arguments.values(of: "--aggregate").map(Self.aggregate)
        modelPath = arguments.value(of: "--model")
        timeout = try arguments.timeout()
        let isGrouped = !groups.isEmpty || !aggregates.isEmpty
        if let name = arguments.value(of: "--format") {
            guard let known = FetchFormat(rawValue: name.lowercased()) else {
                throw UsageError(
                    "--format is one of \(FetchFormat.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'.",
                    command: "fetch",
                    suggestion: Suggestion.nearest(to: name, among: FetchFormat.allCases.map(\.rawValue)))
            }
            format = known
        } else {
            format = arguments.wantsJSON ? .json : .table
        }
        if isGrouped, self.columns != nil {
            throw UsageError(
                "--columns does not go with --group-by and --aggregate, which are the columns.", command: "fetch")
        }
        if countsOnly, isGrouped || self.columns != nil {
            throw UsageError("--count shows no columns.", command: "fetch")
        }
        if self.columns?.isEmpty == true || groups.contains("") {
            throw UsageError("--columns and --group-by need names.", command: "fetch")
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func number(_ arguments: Arguments, _ option: String) throws -> Int {
        guard let text = arguments.value(of: option) else { return 0 }
        guard let number = Int(text), number >= 0 else {
            throw UsageError("\(option) takes a whole number, not '\(text)'.", command: "fetch")
        }
        return number
    }

    private static func sort(_ text: String) throws -> Sort {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { trimmed(String($0)) }
        let direction = parts.count > 1 ? parts[1].lowercased() : "asc"
        guard parts.count <= 2, !parts[0].isEmpty, ["asc", "desc"].contains(direction) else {
            throw UsageError("--sort takes KEY, KEY:asc or KEY:desc, not '\(text)'.", command: "fetch")
        }
        return Sort(key: parts[0], isAscending: direction == "asc")
    }

    private static func aggregate(_ text: String) throws -> Aggregate {
        let given = trimmed(text)
        let names = Aggregate.Function.allCases.map(\.rawValue)
        guard given.hasSuffix(")"), let bracket = given.firstIndex(of: "(") else {
            throw UsageError(
                "--aggregate takes NAME(KEY), as in 'sum(price)', not '\(text)'.", command: "fetch")
        }
        let name = given[..<bracket].lowercased()
        guard let function = name == "avg" ? .average : Aggregate.Function(rawValue: name) else {
            throw UsageError(
                "--aggregate knows \(names.joined(separator: ", ")), not '\(name)'.", command: "fetch",
                suggestion: Suggestion.nearest(to: name, among: names))
        }
        let key = trimmed(String(given[given.index(after: bracket)...].dropLast()))
        guard !key.isEmpty && key != "*" || function == .count else {
            throw UsageError("\(name)() needs a key, as in '\(name)(price)'.", command: "fetch")
        }
        return Aggregate(function: function, key: key.isEmpty || key == "*" ? nil : key, title: given)
    }
}

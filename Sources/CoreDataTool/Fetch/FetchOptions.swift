/// What `coredata fetch` is asked for, as far as the command line alone tells.
struct FetchOptions {
    struct Sort: Equatable {
        let key: String
        let isAscending: Bool
    }

    struct Aggregate: Equatable {
        enum Function: String, CaseIterable {
            case sum, average, min, max, count

            /// `avg` is short for `average`.
            init?(name: String) { self.init(rawValue: name == "avg" ? "average" : name) }
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
    /// nil: no limit.
    let limit: Int?
    let offset: Int
    let countsOnly: Bool
    let groups: [String]
    let aggregates: [Aggregate]
    let modelPath: String?
    let timeout: Double

    var isGrouped: Bool { !groups.isEmpty || !aggregates.isEmpty }

    /// - Throws: `UsageError`
    init(_ arguments: Arguments) throws {
        path = arguments.operands[0]
        entity = arguments.operands[1]
        predicate = arguments.value(of: "--where")
        sort = try arguments.values(of: "--sort").map(Self.sort)
        let columns = arguments.values(of: "--columns").flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        self.columns = arguments.has("--columns") ? columns.map(Self.trimmed) : nil
        limit = try Self.number(arguments, "--limit")
        offset = try Self.number(arguments, "--offset") ?? 0
        countsOnly = arguments.has("--count")
        groups = arguments.values(of: "--group-by").flatMap {
            $0.split(separator: ",").map { Self.trimmed(String($0)) }
        }
        aggregates = try arguments.values(of: "--aggregate").map(Aggregate.init(checking:))
        modelPath = arguments.value(of: "--model")
        timeout = try arguments.timeout()
        if let name = arguments.value(of: "--format") {
            guard let known = FetchFormat(rawValue: name.lowercased()) else {
                throw UsageError(
                    "--format is one of \(FetchFormat.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'.",
                    command: "fetch",
                    suggestion: Suggestion.nearest(to: name, among: FetchFormat.allCases.map(\.rawValue)))
            }
            guard known == .json || !arguments.wantsJSON else {
                throw UsageError("--json and --format \(known.rawValue) contradict each other.", command: "fetch")
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
        if self.columns?.contains("") == true || groups.contains("") {
            throw UsageError("--columns and --group-by need names.", command: "fetch")
        }
    }

    fileprivate static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func number(_ arguments: Arguments, _ option: String) throws -> Int? {
        guard let text = arguments.value(of: option) else { return nil }
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
}

extension FetchOptions.Aggregate {
    /// nil for what is not written like one, or has a function that is not known.
    init?(_ text: String) {
        guard let (name, key) = Self.parts(of: text), let function = Function(name: name) else { return nil }
        self.init(function: function, key: key, title: FetchOptions.trimmed(text))
    }

    /// - Throws: `UsageError`
    fileprivate init(checking text: String) throws {
        guard let (name, key) = Self.parts(of: text) else {
            throw UsageError(
                "--aggregate takes NAME(KEY), as in 'sum(price)', not '\(text)'.", command: "fetch")
        }
        guard let aggregate = Self(text) else {
            let names = Function.allCases.map(\.rawValue)
            throw UsageError(
                "--aggregate knows \(names.joined(separator: ", ")), not '\(name)'.", command: "fetch",
                suggestion: Suggestion.nearest(to: name, among: names))
        }
        guard key != nil || aggregate.function == .count else {
            throw UsageError("\(name)() needs a key, as in '\(name)(price)'.", command: "fetch")
        }
        self = aggregate
    }

    private static func parts(of text: String) -> (name: String, key: String?)? {
        let text = FetchOptions.trimmed(text)
        guard text.hasSuffix(")"), let bracket = text.firstIndex(of: "(") else { return nil }
        let key = FetchOptions.trimmed(String(text[text.index(after: bracket)...].dropLast()))
        return (FetchOptions.trimmed(String(text[..<bracket])).lowercased(), key.isEmpty || key == "*" ? nil : key)
    }
}

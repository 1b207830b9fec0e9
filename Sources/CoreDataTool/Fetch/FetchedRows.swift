import CoreData
import Foundation

/// What the options mean for an entity: the request, and the columns that its rows have.
struct FetchedRows {
    let columns: [FetchColumn]
    private let query: StoreQuery
    private let plan: FetchPlan
    private let dictionaries: DictionaryPlan
    private let isEmpty: Bool

    /// - Throws: `ToolError` and `UsageError` that name what is wrong.
    init(_ options: FetchOptions, _ query: StoreQuery, _ entity: NSEntityDescription) throws {
        self.query = query
        let keyPaths = KeyPaths(path: options.path)
        let all = FetchColumns(keyPaths: keyPaths, entity: entity)
        let groups = try options.groups.flatMap(all.groups)
        let columns =
            options.isGrouped
            ? try groups + options.aggregates.map(all.column) : try options.columns?.flatMap(all.columns) ?? all.all()
        self.columns = columns
        try Self.requireDifferentTitles(columns)
        var dictionaries = DictionaryPlan(columns.map(\.plan))
        dictionaries.groups = groups.map(\.plan)
        self.dictionaries = dictionaries
        var plan = FetchPlan(entity: entity)
        plan.limit = options.limit ?? 0
        plan.offset = options.offset
        plan.predicate = try options.predicate.map {
            try WherePredicate(keyPaths: keyPaths, query: query, entity: entity).parse($0)
        }
        plan.sort = try options.sort.map { sort in
            let key = options.isGrouped ? try Self.title(sort.key, options, columns) : try all.sortKey(sort.key)
            return NSSortDescriptor(key: key, ascending: sort.isAscending)
        }
        self.plan = plan
        // For a fetch request a limit of 0 is none.
        isEmpty = options.limit == 0
    }

    /// A JSON object has a key once.
    private static func requireDifferentTitles(_ columns: [FetchColumn]) throws {
        var seen: Set<String> = []
        if let again = columns.first(where: { !seen.insert($0.title).inserted }) {
            throw UsageError("the column '\(again.title)' is asked for twice.", command: "fetch")
        }
    }

    /// Of a group, only what is shown has one value to sort by.
    private static func title(_ key: String, _ options: FetchOptions, _ columns: [FetchColumn]) throws -> String {
        if let column = columns.first(where: { $0.title == key }) { return column.title }
        if let wanted = FetchOptions.Aggregate(key),
            let same = options.aggregates.first(where: { $0.function == wanted.function && $0.key == wanted.key })
        {
            return same.title
        }
        let titles = columns.map(\.title)
        throw UsageError(
            "groups are sorted by what is shown of them (\(titles.joined(separator: ", "))), not by '\(key)'.",
            command: "fetch", suggestion: Suggestion.nearest(to: key, among: titles))
    }

    /// Hands the rows over, until it is enough.
    ///
    /// - Returns: whether these were all.
    func forEach(until isEnough: () -> Bool, _ receive: ([Cell]) -> Void) throws -> Bool {
        if isEmpty { return true }
        struct Enough: Error {}
        do {
            try query.forEachRow(plan, dictionaries) { values in
                receive(zip(values, columns).map { Cell($0, $1) })
                if isEnough() { throw Enough() }
            }
        } catch is Enough {
            return false
        }
        return true
    }

    func count() throws -> Int { isEmpty ? 0 : try query.count(plan) }
}

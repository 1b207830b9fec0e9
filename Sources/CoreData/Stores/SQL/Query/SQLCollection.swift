import Foundation

/// Many values for one row: a path over to-many relationships, a `SUBQUERY`, or the records of another fetch.
///
/// It becomes a subquery that refers to the row; a further step, a condition or an aggregate goes into the same subquery.
struct SQLCollection {
    let query: SQLQuery
    /// One a to-many step; each one's first table is joined by a condition.
    private(set) var scopes: [SQLScope]
    private(set) var conditions: [String]
    /// What the members are.
    private(set) var value: SQLTerm
    /// The members as records of the last scope; nil for values of attributes.
    private(set) var place: SQLScope.Place?
    /// The part of the request, for messages.
    let label: String
    /// The key of the owner where there may be none: that of a to-one on the way.
    var possibleOwner: String?
    /// Equal values count once.
    private(set) var isDistinct = false
    /// Nothing in it refers to the row outside.
    private(set) var isIndependent = false
    /// Members without a value count as members, as in the array that an ordered relationship gives in memory.
    private var countsNulls = false

    /// The members of a to-many relationship.
    ///
    /// - Parameter owner: the key of the owner, in the scope that the relationship was met in.
    init(
        _ query: SQLQuery, _ members: SQLToMany, of relationship: NSRelationshipDescription, owner: String,
        _ destination: SQLEntity, label: String
    ) {
        switch members {
        case .foreignKey(let link):
            let scope = SQLScope(query, destination)
            self.init(query, scope, label: label, conditions: ["\(scope.alias).\(link.key.sql) = \(owner)"])
        case .join(let link):
            let scope = SQLScope(query, pairs: link, destination)
            self.init(query, scope, label: label, conditions: ["\(scope.alias).\(link.owner.sql) = \(owner)"])
        }
        countsNulls = relationship.isOrdered
    }

    /// The rows of a scope that fulfil some conditions.
    init(_ scope: SQLScope, where conditions: [String], label: String) {
        self.init(scope.query, scope, label: label, conditions: conditions)
        isIndependent = true
    }

    private init(_ query: SQLQuery, _ scope: SQLScope, label: String, conditions: [String]) {
        self.query = query
        scopes = [scope]
        self.conditions = conditions
        value = scope.identity(scope.root, label)
        place = scope.root
        self.label = label
    }

    private var scope: SQLScope { scopes[scopes.count - 1] }

    /// How many to-many relationships it goes over.
    var steps: Int { scopes.count }

    /// A member, as the variable of a `SUBQUERY` names it.
    var member: ExpressionCompiler.Variable {
        place.map { .record(scope, $0) } ?? .term(value)
    }

    func filtered(_ condition: String) -> SQLCollection {
        var copy = self
        if condition != PredicateCompiler.isTrue { copy.conditions.append("(\(condition))") }
        return copy
    }

    // MARK: Key paths

    /// The collection with further keys behind it.
    func extended(by keys: ArraySlice<Substring>, _ path: String) throws -> SQLCollection {
        if keys.isEmpty { return self }
        guard let place else {
            throw SQLRequestError.refused("Key path \(path): the values of \(label) have no keys of their own.")
        }
        var copy = self
        switch try scope.target(keys, at: place, path) {
        case .record(let place):
            copy.place = place
            copy.value = scope.identity(place, path)
        case .term(let term):
            copy.place = nil
            copy.value = term
        case .toMany(let inner):
            copy.scopes += inner.scopes
            copy.conditions += inner.conditions
            copy.value = inner.value
            copy.place = inner.place
            copy.countsNulls = false
        }
        return copy
    }

    /// The collection with keys and operators behind it.
    func appending(_ keys: ArraySlice<Substring>, _ path: String) throws -> SQLOperand {
        guard let first = keys.firstIndex(where: { $0.hasPrefix("@") }) else {
            return .toMany(try extended(by: keys, path))
        }
        var members = try extended(by: keys[..<first], path)
        let rest = keys[(first + 1)...]
        guard !rest.contains(where: { $0.hasPrefix("@") }) else {
            throw SQLRequestError.unsupported("the key path \(path) with an operator behind another")
        }
        let name = keys[first].dropFirst()
        if name == "count" {
            guard rest.isEmpty else { throw SQLRequestError.refused("Key path \(path): nothing can follow @count.") }
            return .term(members.count(path))
        }
        members = try members.extended(by: rest, path)
        let function: PredefinedFunction
        switch name {
        case "sum": function = .sum
        case "avg", "average": function = .average
        case "min": function = .min
        case "max": function = .max
        case "unionOfObjects", "unionOfArrays": return .toMany(members.withoutNulls(isDistinct: false))
        case "distinctUnionOfObjects", "distinctUnionOfArrays", "distinctUnionOfSets", "unionOfSets":
            return .toMany(members.withoutNulls(isDistinct: true))
        default: throw SQLRequestError.unsupported("the operator \(keys[first]) in the key path \(path)")
        }
        return .term(try members.aggregate(function, path))
    }

    private func withoutNulls(isDistinct: Bool) -> SQLCollection {
        var copy = filtered("\(value.sql) IS NOT NULL")
        copy.isDistinct = isDistinct || self.isDistinct
        return copy
    }

    // MARK: Statements

    /// To be called when everything that may join a table is compiled.
    func select(_ selection: String, where condition: String? = nil) -> String {
        let sources = scopes.map(\.from).joined(separator: " JOIN ")
        let all = condition.map { conditions + [$0] } ?? conditions
        return "SELECT \(selection) FROM \(sources)"
            + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))")
    }

    /// `EXISTS (…)` over the members for which a condition holds.
    func exists(where condition: (SQLTerm) throws -> String) rethrows -> String {
        let condition = try condition(value)
        return "EXISTS (\(select("1", where: condition)))"
    }

    /// How many members there are; without those that have no value.
    func count(_ label: String) -> SQLTerm {
        let isRecord = place.map { $0.key == scope.root.key } ?? false
        let all = !isDistinct && (isRecord || countsNulls)
        let what = all ? "*" : isDistinct ? "DISTINCT \(value.sql)" : value.sql
        return .integer("(\(select("COUNT(\(what))")))", label)
    }

    /// A function over the values of all members.
    func aggregate(_ function: PredefinedFunction, _ label: String) throws -> SQLTerm {
        let aggregate = try SQLAggregate.term(function, over: value, isDistinct: isDistinct, label, query)
        return SQLTerm(
            sql: "(\(select(aggregate.sql)))", kind: aggregate.kind, label: label, isNarrow: aggregate.isNarrow)
    }
}

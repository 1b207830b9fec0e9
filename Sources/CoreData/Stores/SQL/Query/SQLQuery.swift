/// What the parts of one statement share while it is built: the values of its parameters and the names of its tables.
///
/// Every value is a parameter, so equal requests with other values have the same text and find the same prepared statement.
final class SQLQuery {
    let schema: SQLSchema
    /// The store's UUID: object ids of other stores match nothing.
    let storeIdentifier: String
    private(set) var values: [SQLValue] = []
    private var aliasCount = 0

    init(schema: SQLSchema, storeIdentifier: String) {
        self.schema = schema
        self.storeIdentifier = storeIdentifier
    }

    /// Takes a value and returns its place in the text. Places are numbered: parts may be put together in any order.
    func parameter(_ value: SQLValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// Stops a predicate whose text would double with each level of nesting.
    func check(_ sql: String) throws {
        guard sql.utf8.count < Self.longest else {
            throw SQLRequestError.refused("The predicate is too large: a part of it is \(sql.utf8.count) bytes of SQL.")
        }
    }

    private static let longest = 4_000_000

    /// A new name for a table: `t0` for the first, that of the fetched entity.
    func makeAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    /// The entity as the store knows it.
    func entity(_ description: NSEntityDescription) throws -> SQLEntity {
        guard let entity = schema.branch(description) else {
            throw SQLRequestError.refused("The store holds no entity \(description.name ?? "").")
        }
        return entity
    }
}

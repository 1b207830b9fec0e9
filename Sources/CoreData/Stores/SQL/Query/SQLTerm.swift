/// A value that a statement computes for each row, with what is known of it.
struct SQLTerm {
    enum Kind {
        /// The value of a stored attribute, or a number of that kind.
        case value(SlotKind)
        /// Bytes with the prefix of external storage.
        case externalData
        /// The key of a record of this entity's table.
        case key(SQLEntity)
        /// A `Z_ENT`.
        case entity
    }

    let sql: String
    let kind: Kind
    /// The part of the request it stands for, for messages.
    let label: String

    var isText: Bool {
        if case .value(let kind) = kind { kind == .string || kind == .uri } else { false }
    }

    static func integer(_ sql: String, _ label: String) -> SQLTerm {
        SQLTerm(sql: sql, kind: .value(.integer), label: label)
    }
}

/// One side of a comparison.
enum SQLOperand {
    case constant(ComparableValue)
    case term(SQLTerm)
    /// Members written out, some of which differ from row to row: `{low, high}`.
    case list([SQLOperand])
    /// Many values at once; only quantifiers and tests of membership take it.
    case toMany(SQLToManyPath)
}

/// A key path over a to-many relationship: where it starts, the relationship, and what follows it.
struct SQLToManyPath {
    /// The key of the owner, in the scope the path was met in.
    let owner: String
    let relationship: NSRelationshipDescription
    let members: SQLToMany
    /// The entity of the members.
    let destination: SQLEntity
    /// What follows the relationship; empty for the members themselves.
    let rest: ArraySlice<Substring>
    let label: String
}

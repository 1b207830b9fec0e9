/// A value that a statement computes for each row, with what is known of it.
struct SQLTerm {
    enum Kind {
        /// The value of a stored attribute, or one of that kind.
        case value(SlotKind)
        /// A computed number: whole or real, as each one is stored; an exact decimal is a text.
        case number(mayBeDecimal: Bool)
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
    /// Whole numbers of at most 32 bits: no sum of them overflows.
    var isNarrow = false

    /// A text column or a computed text; addresses are texts too.
    var isText: Bool {
        if case .value(let kind) = kind { kind == .string || kind == .uri } else { false }
    }

    /// A text that the options of a comparison are about; an address is compared as it is.
    var isFoldable: Bool { isValue(.string) }

    func isValue(_ kind: SlotKind) -> Bool {
        if case .value(let own) = self.kind { own == kind } else { false }
    }

    static func integer(_ sql: String, _ label: String) -> SQLTerm {
        SQLTerm(sql: sql, kind: .value(.integer), label: label)
    }
}

/// One side of a comparison, one argument of a function.
enum SQLOperand {
    case constant(ComparableValue)
    case term(SQLTerm)
    /// Members written out, some of which differ from row to row: `{low, high}`.
    case list([SQLOperand])
    /// Many values at once; quantifiers, tests of membership and aggregates take it.
    case toMany(SQLCollection)
}

extension SQLTerm {
    /// What a term counts as in calculations and comparisons of numbers.
    enum NumberClass {
        /// Whole numbers of 64 bits.
        case integer
        case real
        /// Whole or real, as each value is stored.
        case mixed
        /// Exact decimals, or what may be one.
        case decimal
        case date
    }

    /// nil for what is no number.
    var numberClass: NumberClass? {
        switch kind {
        case .value(.integer), .value(.boolean): .integer
        case .value(.double), .value(.float): .real
        case .value(.decimal), .number(mayBeDecimal: true): .decimal
        case .number(mayBeDecimal: false): .mixed
        case .value(.date): .date
        default: nil
        }
    }

    /// How the functions registered with SQLite are told what the value is; nil for what they do not take.
    var code: SQLValueCode? {
        switch kind {
        case .value(let kind):
            switch kind {
            case .integer, .boolean, .double, .float: .number
            case .date: .date
            case .decimal: .decimal
            case .string: .text
            case .uri: .uri
            case .uuid: .uuid
            case .data: .data
            case .transformable, .toOneKey, .toOneEntity, .transient: nil
            }
        case .number: .number
        case .externalData, .key, .entity: nil
        }
    }

    /// Whether SQLite's own operators compare the two as `ComparableValue` does.
    func comparesNatively(with other: SQLTerm) -> Bool {
        switch (kind, other.kind) {
        case (.value(.decimal), .value(.decimal)), (.value(.uuid), .value(.uuid)), (.value(.data), .value(.data)),
            (.entity, .entity):
            true
        default:
            if let own = numberClass, let others = other.numberClass {
                own != .decimal && others != .decimal
            } else {
                isText && other.isText
            }
        }
    }
}

import Foundation
import FoundationBackfill

/// Turns sort descriptors into the terms of `ORDER BY`.
///
/// NULL comes first ascending and last descending, as SQLite sorts. Equal rows stand in the order of their primary keys.
struct SortCompiler {
    let scope: SQLScope
    /// The columns of a dictionary fetch by name: computed ones may be sorted by.
    var columns: [String: DictionaryColumn] = [:]
    /// Whether the rows are groups, which have no primary key.
    var isGrouped = false
    /// Whether the whole table is gone through by primary key, and only the first rows are wanted: SQLite then sorts with the
    /// place of each row in mind, so that the key need not be compared.
    var findsRowsByKey = false

    /// - Returns: nil without descriptors.
    /// - Throws: `NSError` for a key that is unknown, transient or leads over a to-many, and for comparators.
    func terms(_ descriptors: [NSSortDescriptor]) throws -> String? {
        if descriptors.isEmpty { return nil }
        var terms = try descriptors.map(term)
        if findsRowsByKey {
            // Equal rows stay as they are found; the sign keeps SQLite from finding them by an index.
            terms = terms.map { "+" + $0 }
        } else if !isGrouped {
            terms.append("\(scope.alias).Z_PK")
        }
        return terms.joined(separator: ", ")
    }

    private func term(_ descriptor: NSSortDescriptor) throws -> String {
        guard let order = descriptor.sortOrder else {
            throw SQLRequestError.unsupported("a sort descriptor with a comparator")
        }
        guard let key = descriptor.key else {
            throw SQLRequestError.unsupported(
                "a sort descriptor without a key, or with a key path not registered by name")
        }
        let term = try term(key)
        if case .value(.transformable) = term.kind {
            throw SQLRequestError.unsupported("sorting by the transformable attribute \(key)")
        }
        if case .externalData = term.kind {
            throw SQLRequestError.unsupported("sorting by \(key), whose values may lie in files")
        }
        if case .number(mayBeDecimal: true) = term.kind {
            // Exact decimals are texts, whose own order is another.
            return "CAST(\(term.sql) AS REAL)" + (descriptor.ascending ? "" : " DESC")
        }
        // Another comparison than the plain one is about texts only.
        let collation = term.isText ? SQLCollation(order).map { " COLLATE \($0.rawValue)" } ?? "" : ""
        return term.sql + collation + (descriptor.ascending ? "" : " DESC")
    }

    private func term(_ key: String) throws -> SQLTerm {
        if let column = columns[key], let term = column.term { return term }
        guard case .term(let term) = try scope.operand(key) else {
            throw SQLRequestError.refused("to-many key not allowed here: \(key) in a sort descriptor.")
        }
        return term
    }
}

/// The collations that stand for the comparisons of sort descriptors; registered with every connection.
enum SQLCollation: String, CaseIterable {
    case caseInsensitive = "NSCollateNoCase"
    case localized = "NSCollateLocaleSensitive"
    case localizedCaseInsensitive = "NSCollateLocaleSensitiveNoCase"
    case localizedStandard = "NSCollateFinderlike"

    /// nil for the order of code points, which is SQLite's own.
    init?(_ order: FoundationBackfill.SortOrder) {
        switch order {
        case .compare: return nil
        case .caseInsensitive: self = .caseInsensitive
        case .localized: self = .localized
        case .localizedCaseInsensitive: self = .localizedCaseInsensitive
        case .localizedStandard: self = .localizedStandard
        }
    }

    var order: FoundationBackfill.SortOrder {
        switch self {
        case .caseInsensitive: .caseInsensitive
        case .localized: .localized
        case .localizedCaseInsensitive: .localizedCaseInsensitive
        case .localizedStandard: .localizedStandard
        }
    }
}

/// The words that a format cannot use as keys without `#`, in capitals.
enum ReservedWords {
    static let all: Set<String> = [
        "AND", "OR", "NOT", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN", "ANY", "SOME",
        "ALL",
        "NONE", "NULL", "NIL", "TRUE", "FALSE", "YES", "NO", "SELF", "ANYKEY", "TRUEPREDICATE", "FALSEPREDICATE",
        "UNION",
        "INTERSECT", "MINUS",
    ]
}

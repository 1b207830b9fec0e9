/// Which history tables and columns a store has. Their layout changed over the years; writers fill the columns that are there.
struct SQLHistorySchema: Sendable {
    /// `Z_ENT` of the three history tables' rows.
    static let changeNumber: Int32 = 16001
    static let transactionNumber: Int32 = 16002
    static let stringNumber: Int32 = 16003

    /// The rows of `Z_PRIMARYKEY` that belong to the history.
    static let entityNames = [
        (changeNumber, "CHANGE"), (transactionNumber, "TRANSACTION"), (stringNumber, "TRANSACTIONSTRING"),
    ]

    static let changeTable = "ACHANGE"
    static let transactionTable = "ATRANSACTION"
    static let stringTable = "ATRANSACTIONSTRING"

    /// Columns of `ACHANGE`, in upper case.
    let changeColumns: Set<String>
    /// Columns of `ATRANSACTION`, in upper case.
    let transactionColumns: Set<String>
    /// Whether authors and names are kept once in `ATRANSACTIONSTRING` and named by key.
    let hasStringTable: Bool
    /// `ZTOMBSTONE0`… in order of their number.
    let tombstoneColumns: [String]

    init(changeColumns: [String], transactionColumns: [String], hasStringTable: Bool) {
        self.changeColumns = Set(changeColumns)
        self.transactionColumns = Set(transactionColumns)
        self.hasStringTable = hasStringTable
        tombstoneColumns = changeColumns.compactMap { name -> (Int, String)? in
            guard name.hasPrefix("ZTOMBSTONE"), let number = Int(name.dropFirst(10)) else { return nil }
            return (number, name)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

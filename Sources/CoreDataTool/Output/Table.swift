/// Columns of text, aligned.
struct Table {
    enum Alignment {
        case left, right
    }

    private let alignments: [Alignment]
    private let header: [String]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        header = columns.map(\.title)
        alignments = columns.map(\.alignment)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The cells must be printable; there are as many as columns.
    mutating func add(_ cells: [String]) { rows.append(cells) }

    func lines(_ style: Style, indent: Int = 2) -> [String] {
        let isTitled = header.contains { !$0.isEmpty }
        // A column that is empty in every row says nothing.
        let used = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].columns }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let parts = used.map { column in
                alignments[column] == .left
                    ? cells[column].padded(to: widths[column]) : cells[column].aligned(to: widths[column])
            }
            let text = String(repeating: " ", count: indent) + parts.joined(separator: "  ")
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
        return (isTitled ? [style.dim(line(header))] : []) + rows.map(line)
    }
}

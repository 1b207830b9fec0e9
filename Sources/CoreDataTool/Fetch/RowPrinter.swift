/// Prints rows as they come.
protocol RowPrinter {
    mutating func add(_ cells: [Cell])
    /// Prints what is left.
    mutating func finish()
}

/// Columns whose widths are those of the first rows; a longer value further down moves its row's rest to the right.
struct TablePrinter: RowPrinter {
    /// So many rows are looked at before the first is printed.
    private static let sample = 1000
    private static let widest = 60

    private let console: Console
    private let titles: [String]
    private let areNumbers: [Bool]
    private var waiting: [[String]] = []
    private var widths: [Int]?

    init(_ columns: [FetchColumn], _ console: Console) {
        self.console = console
        titles = columns.map { $0.title.printable(limit: Self.widest) }
        areNumbers = columns.map(\.isNumber)
    }

    mutating func add(_ cells: [Cell]) {
        let texts = cells.map { $0.shown(limit: Self.widest) }
        if let widths { return print(texts, widths) }
        waiting.append(texts)
        if waiting.count == Self.sample { printWaiting() }
    }

    mutating func finish() {
        if widths == nil { printWaiting() }
    }

    private mutating func printWaiting() {
        var widths = titles.map(\.columns)
        for row in waiting {
            for (index, text) in row.enumerated() where text.columns > widths[index] { widths[index] = text.columns }
        }
        self.widths = widths
        console.print(console.style.bold(line(titles, widths)))
        for row in waiting { print(row, widths) }
        waiting = []
    }

    private func print(_ texts: [String], _ widths: [Int]) { console.print(line(texts, widths)) }

    private func line(_ texts: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, text) in texts.enumerated() {
            if index > 0 { line += "  " }
            if areNumbers[index] {
                line += text.aligned(to: widths[index])
            } else if index + 1 < texts.count {
                line += text.padded(to: widths[index])
            } else {
                line += text
            }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// An array of objects, or one object a line.
struct JSONPrinter: RowPrinter {
    private let console: Console
    /// What stands before each value.
    private let keys: [String]
    private let isArray: Bool
    private var isEmpty = true

    init(_ columns: [FetchColumn], isArray: Bool, _ console: Console) {
        self.console = console
        self.isArray = isArray
        keys = columns.enumerated().map { ($0.offset == 0 ? "{" : ", ") + JSON.text($0.element.title).line + ": " }
    }

    mutating func add(_ cells: [Cell]) {
        var line = isArray ? (isEmpty ? "[\n  " : ",\n  ") : ""
        for (key, cell) in zip(keys, cells) {
            line += key
            cell.json.writeLine(to: &line)
        }
        line += isArray ? "}" : "}\n"
        console.output.write(line)
        isEmpty = false
    }

    mutating func finish() {
        if isArray { console.print(isEmpty ? "[]" : "\n]") }
    }
}

/// Values with commas between them, titles first.
struct CSVPrinter: RowPrinter {
    private let console: Console

    init(_ columns: [FetchColumn], _ console: Console) {
        self.console = console
        console.print(columns.map(\.title.csv).joined(separator: ","))
    }

    mutating func add(_ cells: [Cell]) { console.print(cells.map(\.csv).joined(separator: ",")) }

    mutating func finish() {}
}

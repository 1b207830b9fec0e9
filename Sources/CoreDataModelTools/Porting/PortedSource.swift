import Foundation

/// What a file has that Linux refuses, and the file with that put right as far as a program can.
package struct PortedSource {
    private struct Edit {
        var range: Range<Int>
        let replacement: String
    }

    private let original: [UInt8]
    private let lineStarts: [Int]
    private var edits: [Edit] = []
    /// In the order of the file.
    package private(set) var findings: [PortFinding] = []

    init(original: [UInt8], lineStarts: [Int]) {
        self.original = original
        self.lineStarts = lineStarts
    }

    package var isChanged: Bool { !edits.isEmpty }

    mutating func add(_ kind: PortFinding.Kind, _ range: Range<Int>, advice: String?) {
        let line = lineNumber(at: range.lowerBound)
        let text = String(decoding: original[range], as: UTF8.self)
        findings.append(
            PortFinding(
                kind: kind, line: line + 1, column: range.lowerBound - lineStarts[line] + 1, text: text, advice: advice)
        )
    }

    mutating func replace(_ range: Range<Int>, by replacement: String) {
        edits.append(Edit(range: range, replacement: replacement))
    }

    mutating func sort() {
        edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        // Two edits may both take the space between them.
        for index in edits.indices.dropFirst() {
            let end = edits[index - 1].range.upperBound
            let range = edits[index].range
            edits[index].range = max(end, range.lowerBound)..<max(end, range.upperBound)
        }
        findings.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    /// The file as it is to be.
    package var contents: Data { Data(changed(0..<original.count, by: edits[...])) }

    /// The number of the line that a place is on, from 0.
    private func lineNumber(at place: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= place { low = middle } else { high = middle }
        }
        return low
    }

    private func changed(_ range: Range<Int>, by edits: ArraySlice<Edit>) -> [UInt8] {
        var result: [UInt8] = []
        var place = range.lowerBound
        for edit in edits {
            result += original[place..<edit.range.lowerBound]
            result += edit.replacement.utf8
            place = edit.range.upperBound
        }
        return result + original[place..<range.upperBound]
    }

    // MARK: The difference

    /// Lines that change together.
    private struct Change {
        var lines: Range<Int>
        var edits: Range<Int>
    }

    /// The change in the form of `diff -u`, without its two lines of names; empty if nothing changes.
    package func difference(context: Int = 3) -> [String] {
        var lines: [String] = []
        var shift = 0
        for hunk in hunks(context: context) {
            let first = max(0, hunk[0].lines.lowerBound - context)
            let last = min(lineCount, hunk[hunk.count - 1].lines.upperBound + context)
            var body: [String] = []
            var next = first
            var newCount = 0
            for change in hunk {
                for line in next..<change.lines.lowerBound { body += marked(" ", text(of: line..<line + 1)) }
                body += marked("-", text(of: change.lines))
                let bytes = byteRange(of: change.lines)
                let added = marked("+", String(decoding: changed(bytes, by: edits[change.edits]), as: UTF8.self))
                newCount += added.filter { $0 != Self.noLineEnd }.count - change.lines.count
                body += added
                next = change.lines.upperBound
            }
            for line in next..<last { body += marked(" ", text(of: line..<line + 1)) }
            let count = last - first
            lines.append("@@ -\(first + 1),\(count) +\(first + 1 + shift),\(count + newCount) @@")
            lines += body
            shift += newCount
        }
        return lines
    }

    private var lineCount: Int { lineStarts.count - (lineStarts.last == original.count ? 1 : 0) }

    /// Changes whose surroundings touch stand together.
    private func hunks(context: Int) -> [[Change]] {
        var hunks: [[Change]] = []
        for change in changes() {
            if let last = hunks.last?.last, change.lines.lowerBound - last.lines.upperBound <= 2 * context {
                hunks[hunks.count - 1].append(change)
            } else {
                hunks.append([change])
            }
        }
        return hunks
    }

    private func changes() -> [Change] {
        var changes: [Change] = []
        for (index, edit) in edits.enumerated() {
            let lines = lineNumber(at: edit.range.lowerBound)..<lineNumber(at: edit.range.upperBound) + 1
            if let last = changes.last, lines.lowerBound < last.lines.upperBound {
                changes[changes.count - 1].lines = last.lines.lowerBound..<max(last.lines.upperBound, lines.upperBound)
                changes[changes.count - 1].edits = last.edits.lowerBound..<index + 1
            } else {
                changes.append(Change(lines: lines, edits: index..<index + 1))
            }
        }
        return changes
    }

    private func byteRange(of lines: Range<Int>) -> Range<Int> {
        let end = lines.upperBound < lineStarts.count ? lineStarts[lines.upperBound] : original.count
        return lineStarts[lines.lowerBound]..<end
    }

    private func text(of lines: Range<Int>) -> String {
        String(decoding: original[byteRange(of: lines)], as: UTF8.self)
    }

    private static let noLineEnd = "\\ No newline at end of file"

    private func marked(_ mark: String, _ text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { mark + $0 }
        if text.last == "\n" || text.last == "\r\n" { lines.removeLast() } else { lines.append(Self.noLineEnd) }
        return lines
    }
}

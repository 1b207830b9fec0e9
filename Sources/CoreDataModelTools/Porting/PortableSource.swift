import Foundation

/// A Swift file on its way to platforms without Objective-C.
package struct PortableSource {
    /// Why a file is left alone.
    package struct Refusal: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    private let bytes: [UInt8]
    let structure: SourceStructure
    private let lineStarts: [Int]
    private let lineEnd: String

    /// - Throws: ``Refusal`` for a file that is not UTF-8.
    package init(_ data: Data) throws(Refusal) {
        guard String(validating: data, as: UTF8.self) != nil else {
            throw Refusal(reason: "it is not UTF-8, the only encoding of Swift sources")
        }
        let bytes = Array(data)
        self.bytes = bytes
        structure = SourceStructure(bytes)
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        lineStarts = starts
        let firstEnd = bytes.firstIndex(of: UInt8(ascii: "\n"))
        lineEnd = firstEnd.map { $0 > 0 && bytes[$0 - 1] == UInt8(ascii: "\r") } == true ? "\r\n" : "\n"
    }

    /// What is refused, and how the file would be without.
    ///
    /// - Parameter types: what all files and models declare.
    package func port(_ types: PortedTypes) -> PortedSource {
        var ported = PortedSource(original: bytes, lineStarts: lineStarts)
        for run in attributeRuns() { port(run, into: &ported) }
        for expression in structure.keyPaths { portKeyPath(expression, types, into: &ported) }
        for expression in structure.selectors { portSelector(expression, into: &ported) }
        ported.sort()
        return ported
    }

    // MARK: Attributes

    /// Attributes that follow each other are wrapped together.
    private func attributeRuns() -> [[SourceStructure.Attribute]] {
        var runs: [[SourceStructure.Attribute]] = []
        for attribute in structure.attributes {
            if let last = runs.last?.last, last.tokens.upperBound == attribute.tokens.lowerBound,
                last.isOfOptionalRequirement == attribute.isOfOptionalRequirement
            {
                runs[runs.count - 1].append(attribute)
            } else {
                runs.append([attribute])
            }
        }
        return runs
    }

    private func port(_ run: [SourceStructure.Attribute], into ported: inout PortedSource) {
        for attribute in run {
            ported.add(
                attribute.isOfOptionalRequirement
                    ? .optionalRequirement : attribute.name == "objcMembers" ? .objcMembers : .objc,
                range(of: attribute.tokens),
                advice: attribute.isOfOptionalRequirement
                    ? "only Objective-C has optional requirements; make it required and give it a default in an extension"
                    : nil)
        }
        guard let first = run.first, let last = run.last, !first.isOfOptionalRequirement else { return }
        let tokens = structure.tokens
        let attributes = range(of: first.tokens.lowerBound..<last.tokens.upperBound)
        let start = tokens[first.firstModifier].range.lowerBound
        let indent = lineEnd + indentation(at: start)
        let block =
            (isFirstOnLine(first.firstModifier) ? "" : indent) + "#if canImport(ObjectiveC)" + indent
            + text(attributes) + indent + "#endif"
        // A space before what moves to a line of its own would be left at the end of the line before.
        let from = isFirstOnLine(first.firstModifier) ? start : startOfSpace(before: start)
        if first.firstModifier == first.tokens.lowerBound {
            // What follows on the same line goes to the next one; `#endif` bears only a comment behind it.
            let next = last.tokens.upperBound
            let breaks = next < tokens.count && !tokens[next].startsLine
            ported.replace(
                breaks ? from..<endOfSpace(from: attributes.upperBound) : from..<attributes.upperBound,
                by: block + (breaks ? indent : ""))
        } else {
            ported.replace(from..<start, by: block + indent)
            ported.replace(attributes.lowerBound..<endOfSpace(from: attributes.upperBound), by: "")
        }
    }

    // MARK: Expressions

    private func portKeyPath(
        _ expression: SourceStructure.Expression, _ types: PortedTypes, into ported: inout PortedSource
    ) {
        let range = range(of: expression.tokens)
        switch names(in: expression).flatMap({ types.path($0, enclosingType: expression.enclosingType) }) {
        case .success(let path):
            ported.add(.keyPath, range, advice: nil)
            ported.replace(range, by: "\"\(path)\"")
        case .failure(let problem):
            ported.add(.keyPath, range, advice: "\(problem.text); write the path as a text")
        }
    }

    /// The names between the brackets, which dots part.
    private func names(in expression: SourceStructure.Expression) -> Result<[String], PortedTypes.Problem> {
        let inside = structure.tokens[expression.tokens].dropFirst(2).dropLast()
        var names: [String] = []
        for (number, token) in inside.enumerated() {
            guard number % 2 == 0 ? token.isName : token.isMark(".") else {
                return .failure(PortedTypes.Problem("it is no path of names"))
            }
            if number % 2 == 0 { names.append(token.text) }
        }
        return inside.count % 2 == 1 ? .success(names) : .failure(PortedTypes.Problem("it is no path of names"))
    }

    /// The comparisons that sort descriptors take.
    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    private func portSelector(_ expression: SourceStructure.Expression, into ported: inout PortedSource) {
        let range = range(of: expression.tokens)
        let inside = structure.tokens[expression.tokens].dropFirst(2).dropLast().map(\.text)
        if inside.count >= 3, inside[0] == "NSString", inside[1] == ".", Self.comparisons.contains(inside[2]),
            inside.count == 3 || inside[3...] == ["(", "_", ":", ")"]
        {
            ported.add(.selector, range, advice: nil)
            // The second brackets tell Apple's compiler that the text is meant.
            ported.replace(range, by: "Selector((\"\(inside[2]):\"))")
        } else {
            ported.add(
                .selector, range,
                advice:
                    "nothing can be called by a selector; pass a closure, or keep the code under #if canImport(ObjectiveC)"
            )
        }
    }

    // MARK: Places

    private func range(of tokens: Range<Int>) -> Range<Int> {
        structure.tokens[tokens.lowerBound].range.lowerBound..<structure.tokens[tokens.upperBound - 1].range.upperBound
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func isFirstOnLine(_ token: Int) -> Bool { structure.tokens[token].startsLine && isSpaceBefore(token) }

    /// Whether only space stands before a token on its line: not the end of a comment, for instance.
    private func isSpaceBefore(_ token: Int) -> Bool {
        var place = structure.tokens[token].range.lowerBound
        while place > 0, Self.isSpace(bytes[place - 1]) { place -= 1 }
        return place == 0 || bytes[place - 1] == UInt8(ascii: "\n") || bytes[..<place].elementsEqual("\u{FEFF}".utf8)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func startOfSpace(before end: Int) -> Int {
        var start = end
        while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
        return start
    }

    private func endOfSpace(from start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
        return end
    }

    /// The space at the start of the line that a place is on.
    private func indentation(at place: Int) -> String {
        var start = place
        while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        if start == 0, bytes.starts(with: "\u{FEFF}".utf8) { start = 3 }
        return text(start..<endOfSpace(from: start))
    }
}

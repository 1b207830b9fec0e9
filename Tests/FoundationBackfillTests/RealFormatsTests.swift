import Foundation
import FoundationBackfill
import TestSupport
import Testing

/// The format strings of real code bases, one a line after two columns of counts. The list lies beside the corpus.
enum RealFormats {
    static let file = Corpus.root.deletingLastPathComponent().appendingPathComponent("reference/predicates.txt")

    static var isPresent: Bool { FileManager.default.fileExists(atPath: file.path) }

    static func lines() throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: "\t", maxSplits: 2).last.map(String.init) }
    }

    /// Where Swift text was interpolated.
    static let remnant = "\\(…)"

    /// What may have stood there: options behind an operator, else a key or a whole predicate.
    static func completions(_ format: String) -> [String] {
        var format = format.replacingOccurrences(of: "\\(#keyPath)", with: "owner.name")
        for operation in ["CONTAINS", "LIKE", "MATCHES", "ENDSWITH"] {
            format = format.replacingOccurrences(of: operation + remnant, with: operation + "[c]")
        }
        guard format.contains(remnant) else { return [format] }
        return ["key", "TRUEPREDICATE"].map { format.replacingOccurrences(of: remnant, with: $0) }
    }

    /// An argument for each specifier outside quotes.
    static func arguments(for format: String) -> [Any] {
        var arguments: [Any] = []
        var quote: Character?
        var isSpecifier = false
        for character in format {
            if let open = quote {
                if character == open { quote = nil }
            } else if isSpecifier {
                switch character {
                case "@": arguments.append("text")
                case "K": arguments.append("owner.key")
                case "l", "h", "q": continue
                case "f": arguments.append(1.5)
                default: arguments.append(7)
                }
                isSpecifier = false
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "%" {
                isSpecifier = true
            }
        }
        return arguments
    }
}

@Suite struct RealFormatsTests {
    @Test(.enabled(if: RealFormats.isPresent || Corpus.isRequired, "the list of real formats is not there"))
    func everyRealFormatParsesPrintsAndEvaluates() throws {
        let lines = try RealFormats.lines()
        #expect(lines.count == 835)
        var predicates = 0
        var expressions: [String] = []
        var skipped: [String] = []
        let object: [String: Any] = ["key": 1, "name": "x", "owner": ["key": 2]]
        for line in lines {
            let formats = RealFormats.completions(line)
            if try formats.contains(where: { try checkPredicate($0, object) }) {
                predicates += 1
            } else if try formats.contains(where: { try checkExpression($0, object) }) {
                expressions.append(line)
            } else if line.contains(RealFormats.remnant) {
                skipped.append(line)
            } else {
                Issue.record("does not parse: \(line)")
            }
        }
        print("real formats: \(predicates) predicates, \(expressions.count) expressions, \(skipped.count) skipped")
        for line in expressions { print("expression: \(line)") }
        for line in skipped { print("skipped: \(line)") }
        #expect(predicates + expressions.count + skipped.count == 835)
    }

    /// Whether the format is a predicate; if so, that it prints, parses back and evaluates.
    private func checkPredicate(_ format: String, _ object: [String: Any]) throws -> Bool {
        let arguments = RealFormats.arguments(for: format)
        guard let predicate = try? NSPredicate.parse(format: format, arguments: arguments) else { return false }
        let again = try NSPredicate.parse(format: predicate.formatText)
        #expect(again == predicate, "\(format) printed as \(predicate.formatText)")
        // Foundation's own constants do not hash by value.
        #expect(again.hash == predicate.hash || predicate.formatText.hasSuffix("PREDICATE"))
        _ = predicate.evaluate(with: object)
        return true
    }

    private func checkExpression(_ format: String, _ object: [String: Any]) throws -> Bool {
        let arguments = RealFormats.arguments(for: format)
        guard let expression = try? NSExpression.parse(format: format, arguments: arguments) else { return false }
        let again = try NSExpression.parse(format: expression.description)
        #expect(again == expression, "\(format) printed as \(expression)")
        #expect(again.hash == expression.hash)
        _ = expression.expressionValue(with: object, context: nil)
        return true
    }
}

import Foundation
import FoundationBackfill

/// A test of texts against one constant, made ready once for a statement.
///
/// It follows `StringFolding`, as predicates in memory do; ASCII texts are compared where SQLite has them, without a copy.
final class TextMatcher {
    typealias Options = NSComparisonPredicate.Options

    enum Test {
        case equals
        case begins
        case ends
        case contains
        /// The constant is longer: the text is a part of it.
        case isPart
        /// One of several constants.
        case member(Set<String>)
        case like(LikePattern)
        case matches(RegularExpressionPattern)
    }

    static let pointerType: StaticString = "CoreDataTextMatcher"

    private let test: Test
    private let options: Options
    private let original: String
    /// The folded constant; compared byte by byte.
    private let pattern: ContiguousArray<UInt8>
    /// Only case is ignored, if anything: ASCII letters decide for themselves.
    private let ignoresCase: Bool
    /// Neither case nor accents are ignored: bytes decide, ASCII or not.
    private let isExact: Bool

    init(_ test: Test, _ constant: String, options: Options) {
        let options = options.effective
        self.test = test
        self.options = options
        original = constant
        pattern = ContiguousArray(StringFolding.fold(constant, options: options).utf8)
        ignoresCase = options.contains(.caseInsensitive)
        isExact = options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
    }

    /// Whether a text, given as UTF-8, passes the test. Throws for a regular expression that takes too many steps.
    func matches(_ text: UnsafeRawBufferPointer) throws -> Bool {
        switch test {
        case .like(let like): return like.matches(String(decoding: text, as: UTF8.self))
        case .matches(let expression): return try expression.matches(String(decoding: text, as: UTF8.self))
        case .member(let members):
            return members.contains(StringFolding.fold(String(decoding: text, as: UTF8.self), options: options))
        case .equals where options.contains(.localeSensitive):
            return StringFolding.areEqual(String(decoding: text, as: UTF8.self), original, options: options)
        case .equals, .begins, .ends, .contains, .isPart:
            return pattern.withUnsafeBytes { pattern in
                if isExact { return compare(text, pattern, foldingText: false) }
                if text.allSatisfy({ $0 < 0x80 }) {
                    return compare(text, pattern, foldingText: ignoresCase)
                }
                var folded = StringFolding.fold(String(decoding: text, as: UTF8.self), options: options)
                return folded.withUTF8 { compare(UnsafeRawBufferPointer($0), pattern, foldingText: false) }
            }
        }
    }

    /// The order of a text, given as UTF-8, and the constant: below, at or above zero.
    func order(_ text: UnsafeRawBufferPointer) -> Int {
        StringFolding.compare(String(decoding: text, as: UTF8.self), original, options: options).rawValue
    }

    private func compare(
        _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, foldingText: Bool
    ) -> Bool {
        switch test {
        case .equals: text.count == pattern.count && Self.isEqual(text, 0, pattern, foldingText)
        case .begins: text.count >= pattern.count && Self.isEqual(text, 0, pattern, foldingText)
        case .ends:
            text.count >= pattern.count && Self.isEqual(text, text.count - pattern.count, pattern, foldingText)
        case .contains:
            text.count >= pattern.count
                && (0...(text.count - pattern.count)).contains { Self.isEqual(text, $0, pattern, foldingText) }
        case .isPart:
            pattern.count >= text.count
                && (0...(pattern.count - text.count)).contains { start in
                    text.indices.allSatisfy { Self.folded(text[$0], foldingText) == pattern[start + $0] }
                }
        case .member, .like, .matches: false
        }
    }

    @inline(__always)
    private static func isEqual(
        _ text: UnsafeRawBufferPointer, _ start: Int, _ pattern: UnsafeRawBufferPointer, _ folding: Bool
    ) -> Bool {
        for index in pattern.indices where folded(text[start + index], folding) != pattern[index] { return false }
        return true
    }

    @inline(__always)
    private static func folded(_ byte: UInt8, _ folding: Bool) -> UInt8 {
        folding && byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}

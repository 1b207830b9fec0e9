import Foundation

/// The pattern of `LIKE`, ready to be matched.
package struct LikePattern: Sendable {
    private enum Piece: Equatable {
        case anyText
        case anyCharacter
        case scalar(UnicodeScalar)
    }

    private let pieces: [Piece]
    private let options: NSComparisonPredicate.Options

    package init(_ pattern: String, options: NSComparisonPredicate.Options = []) {
        self.options = options
        var pieces: [Piece] = []
        var isEscaped = false
        for scalar in StringFolding.fold(pattern, options: options).unicodeScalars {
            if isEscaped {
                pieces.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "*" {
                if pieces.last != .anyText { pieces.append(.anyText) }
            } else {
                pieces.append(scalar == "?" ? .anyCharacter : .scalar(scalar))
            }
        }
        if isEscaped { pieces.append(.scalar("\\")) }
        self.pieces = pieces
    }

    /// Whether the whole text matches. At most proportional to the length of text times pattern.
    package func matches(_ text: String) -> Bool {
        let scalars = Array(StringFolding.fold(text, options: options).unicodeScalars)
        var position = 0
        var piece = 0
        // Where to go on after the last `*`, if what follows it fails: it takes one more character each time.
        var retry: (piece: Int, position: Int)?
        while position < scalars.count {
            if piece < pieces.count {
                switch pieces[piece] {
                case .anyText:
                    piece += 1
                    retry = (piece, position)
                    continue
                case .anyCharacter:
                    piece += 1
                    position += 1
                    continue
                case .scalar(let scalar) where scalar == scalars[position]:
                    piece += 1
                    position += 1
                    continue
                case .scalar: break
                }
            }
            guard let last = retry else { return false }
            piece = last.piece
            position = last.position + 1
            retry = (piece, position)
        }
        return pieces[piece...].allSatisfy { $0 == .anyText }
    }
}

/// The regular expression of `MATCHES`, ready to be matched: it must match the whole text.
package struct RegularExpressionPattern: @unchecked Sendable {
    // Immutable, and NSRegularExpression may be used from several threads at once.
    private let expression: NSRegularExpression
    private let options: NSComparisonPredicate.Options

    /// Throws the error of `NSRegularExpression` if the pattern cannot be read.
    package init(_ pattern: String, options: NSComparisonPredicate.Options = []) throws {
        let accents = options.intersection(.diacriticInsensitive)
        self.options = accents
        expression = try NSRegularExpression(
            pattern: "\\A(?:\(StringFolding.fold(pattern, options: accents)))\\z",
            options: options.contains(.caseInsensitive) ? .caseInsensitive : [])
    }

    /// Whether the whole text matches.
    package func matches(_ text: String) -> Bool {
        let text = StringFolding.fold(text, options: options)
        return expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }
}

/// Patterns made ready, so that a predicate evaluated for many objects does it once.
final class PatternCache: @unchecked Sendable {
    static let shared = PatternCache()

    private struct Key: Hashable {
        let pattern: String
        let options: UInt
    }

    private static let capacity = 64
    private let lock = NSLock()
    private var likePatterns: [Key: LikePattern] = [:]
    private var regularExpressions: [Key: RegularExpressionPattern?] = [:]

    func like(_ pattern: String, options: NSComparisonPredicate.Options) -> LikePattern {
        let key = Key(pattern: pattern, options: options.rawValue)
        return lock.withLock {
            if let known = likePatterns[key] { return known }
            if likePatterns.count >= Self.capacity { likePatterns.removeAll(keepingCapacity: true) }
            let made = LikePattern(pattern, options: options)
            likePatterns[key] = made
            return made
        }
    }

    /// Nil for an expression that cannot be read.
    func regularExpression(
        _ pattern: String, options: NSComparisonPredicate.Options
    ) -> RegularExpressionPattern? {
        let key = Key(pattern: pattern, options: options.rawValue)
        return lock.withLock {
            if let known = regularExpressions[key] { return known }
            if regularExpressions.count >= Self.capacity { regularExpressions.removeAll(keepingCapacity: true) }
            let made = try? RegularExpressionPattern(pattern, options: options)
            regularExpressions[key] = .some(made)
            return made
        }
    }
}

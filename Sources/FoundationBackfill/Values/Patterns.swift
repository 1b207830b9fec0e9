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
    private let pattern: String
    private let expression: NSRegularExpression
    private let options: NSComparisonPredicate.Options

    /// Throws the error of `NSRegularExpression` if the pattern cannot be read.
    package init(_ pattern: String, options: NSComparisonPredicate.Options = []) throws {
        let options = options.effective
        let accents = options.intersection(.diacriticInsensitive)
        self.options = accents
        self.pattern = pattern
        expression = try NSRegularExpression(
            pattern: "\\A(?:\(StringFolding.fold(pattern, options: accents)))\\z",
            options: options.contains(.caseInsensitive) ? .caseInsensitive : [])
    }

    /// Whether the whole text matches.
    ///
    /// Throws `TooCostly` where the search was given up: that it found nothing says nothing then.
    package func matches(_ text: String) throws -> Bool {
        let text = StringFolding.fold(text, options: options)
        var isFound = false
        var isGivenUp = false
        var steps = 0
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: text.utf16.count)
        ) { match, flags, stop in
            if match != nil {
                isFound = true
            } else if flags.contains(.internalError) {
                isGivenUp = !isFound
            } else if flags.contains(.progress) {
                steps += 1
                isGivenUp = steps >= Self.mostSteps
            }
            stop.pointee = ObjCBool(isFound || isGivenUp)
        }
        if isGivenUp { throw TooCostly(pattern: pattern, length: text.utf16.count) }
        return isFound
    }

    /// Reports of progress until a search is given up: about half a second's work. Somewhat later the expression gives up by itself
    /// and says only that there is no match.
    private static let mostSteps = 2_500

    /// A search that would take too long, or too much memory.
    package struct TooCostly: Error, CustomStringConvertible {
        let pattern: String
        let length: Int

        package var description: String {
            "MATCHES: matching the regular expression \(pattern) with a text of \(length) characters takes too many "
                + "steps; write it with fewer repetitions (such as .*) inside or behind one another"
        }
    }
}

/// Patterns made ready, so that a predicate evaluated for many objects does it once.
final class PatternCache: @unchecked Sendable {
    static let shared = PatternCache()

    private struct Key: Hashable {
        let pattern: ExactText
        let options: NSComparisonPredicate.Options
    }

    private static let capacity = 64
    private let lock = NSLock()
    private var likePatterns: [Key: LikePattern] = [:]
    private var regularExpressions: [Key: RegularExpressionPattern?] = [:]

    func like(_ pattern: String, options: NSComparisonPredicate.Options) -> LikePattern {
        let key = Key(pattern: ExactText(pattern), options: options)
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
        let key = Key(pattern: ExactText(pattern), options: options)
        return lock.withLock {
            if let known = regularExpressions[key] { return known }
            if regularExpressions.count >= Self.capacity { regularExpressions.removeAll(keepingCapacity: true) }
            let made = try? RegularExpressionPattern(pattern, options: options)
            regularExpressions[key] = .some(made)
            return made
        }
    }
}

import Foundation

/// How texts are compared without regard to case or accents. Memory and the functions registered with SQLite share it.
package enum StringFolding {
    package typealias Options = NSComparisonPredicate.Options

    /// The form of a text in which texts that the options hold to be the same are equal byte by byte.
    ///
    /// Without `[c]` and `[d]`, or with `[n]` (which takes their place), the text itself. Otherwise canonically composed, with `[c]` in lower case (ß is ss, the
    /// final sigma a sigma; the dotless ı stays apart from i), with `[d]` without accents. Linear; ASCII takes a short cut.
    package static func fold(_ text: String, options: Options) -> String {
        let folds = options.effective.intersection([.caseInsensitive, .diacriticInsensitive])
        if folds.isEmpty { return text }
        let ignoresCase = folds.contains(.caseInsensitive)
        var isASCII = true
        var hasCapitals = false
        for byte in text.utf8 {
            if byte >= 0x80 {
                isASCII = false
                break
            }
            if (0x41...0x5A).contains(byte) { hasCapitals = true }
        }
        if isASCII { return ignoresCase && hasCapitals ? text.lowercased() : text }

        var scalars = String.UnicodeScalarView()
        let ignoresAccents = folds.contains(.diacriticInsensitive)
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            let properties = scalar.properties
            if ignoresAccents, properties.generalCategory == .nonspacingMark,
                properties.canonicalCombiningClass != .notReordered
            {
                continue
            }
            if ignoresCase, scalar != "\u{131}" {
                // Lower case of upper case: one form for ß, ẞ and ss, for σ and ς.
                scalars.append(contentsOf: properties.lowercaseMapping.uppercased().lowercased().unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        let folded = String(scalars)
        // Mapping a letter can bring out an accent of its own (İ).
        guard ignoresAccents && ignoresCase else { return folded.precomposedStringWithCanonicalMapping }
        let bare = folded.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
                || $0.properties.canonicalCombiningClass == .notReordered
        }
        return String(String.UnicodeScalarView(bare)).precomposedStringWithCanonicalMapping
    }

    /// Whether the text has the other as a part. Every text has the empty one.
    package static func contains(_ text: String, _ part: String, options: Options = []) -> Bool {
        find(fold(part, options: options), in: fold(text, options: options))
    }

    /// Whether the text begins with the other.
    package static func begins(_ text: String, with prefix: String, options: Options = []) -> Bool {
        fold(text, options: options).utf8.starts(with: fold(prefix, options: options).utf8)
    }

    /// Whether the text ends with the other.
    package static func ends(_ text: String, with suffix: String, options: Options = []) -> Bool {
        fold(text, options: options).utf8.reversed().starts(with: fold(suffix, options: options).utf8.reversed())
    }

    /// Whether two texts are the same under the options.
    package static func areEqual(_ a: String, _ b: String, options: Options = []) -> Bool {
        if options.contains(.localeSensitive) { return compare(a, b, options: options) == .orderedSame }
        return fold(a, options: options).utf8.elementsEqual(fold(b, options: options).utf8)
    }

    /// The order of two texts under the options: by code point of the folded texts, with `[l]` by the current locale.
    package static func compare(_ a: String, _ b: String, options: Options = []) -> ComparisonResult {
        let options = options.effective
        guard options.contains(.localeSensitive) else {
            let a = ComparableValue.text(fold(a, options: options))
            return a.compare(to: .text(fold(b, options: options))) ?? .orderedSame
        }
        var comparison: String.CompareOptions = []
        if options.contains(.caseInsensitive) { comparison.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { comparison.insert(.diacriticInsensitive) }
        return a.compare(b, options: comparison, range: nil, locale: .current)
    }

    /// Whether the text matches the pattern as a whole: `*` stands for any text, `?` for one character, `\` takes the
    /// meaning from what follows.
    package static func like(_ text: String, pattern: String, options: Options = []) -> Bool {
        PatternCache.shared.like(pattern, options: options).matches(text)
    }

    /// Whether the regular expression matches the text as a whole. An expression that cannot be read matches nothing; one that takes
    /// too many steps throws.
    package static func matches(_ text: String, pattern: String, options: Options = []) throws -> Bool {
        try PatternCache.shared.regularExpression(pattern, options: options)?.matches(text) ?? false
    }

    private static func find(_ part: String, in text: String) -> Bool {
        var part = part
        var text = text
        return part.withUTF8 { part in
            text.withUTF8 { text in
                guard let partBase = part.baseAddress, part.count > 0 else { return true }
                guard let textBase = text.baseAddress else { return false }
                var position = 0
                // From one place with the right first byte to the next.
                while text.count - position >= part.count,
                    let found = memchr(textBase + position, Int32(part[0]), text.count - position - part.count + 1)
                {
                    if memcmp(found, partBase, part.count) == 0 { return true }
                    position = UnsafeRawPointer(found) - UnsafeRawPointer(textBase) + 1
                }
                return false
            }
        }
    }
}

extension NSComparisonPredicate.Options {
    /// What the options come to: `[n]` takes the place of `[c]` and `[d]`.
    package var effective: Self {
        contains(.normalized) ? subtracting([.caseInsensitive, .diacriticInsensitive]) : self
    }
}

/// Texts as they may be shown on a terminal.
extension String {
    /// The text with everything escaped that a terminal would act on, or that would make it look like another text: control
    /// characters, line ends, marks of the writing direction. Everything printed that comes from a file, a file's name or the
    /// command line passes through here.
    var printable: String {
        if isPrintableASCII || !unicodeScalars.contains(where: \.isUnprintable) { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isUnprintable:
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Most texts are, and are looked at no further.
    private var isPrintableASCII: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    /// As `isPrintableASCII`, and without the marks that a quoted text escapes and a list of values separates.
    var isPlain: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C && $0 != 0x2C } }

    /// As `printable`, and cut off behind so many characters: names of a million characters are possible, and characters of a
    /// million marks.
    func printable(limit: Int) -> String {
        if utf8.count <= limit { return printable }
        let marks = unicodeScalars.index(startIndex, offsetBy: limit * 8, limitedBy: endIndex) ?? endIndex
        let start = self[..<marks].prefix(limit)
        return start.endIndex == endIndex ? printable : String(start).printable + "…"
    }

    /// The columns it takes up on a terminal. An emoji of several that are joined is as wide as the first.
    var columns: Int {
        if isPrintableASCII { return utf8.count }
        var width = 0
        var last: Unicode.Scalar?
        for scalar in unicodeScalars {
            switch (last, scalar.value) {
            case (let last?, 0xFE0F) where last.columns == 1 && last.properties.isEmoji: width += 1
            case (let last?, 0x1F3FB...0x1F3FF) where last.properties.isEmojiModifierBase: break
            case (let last?, _) where last.value == 0x200D && scalar.properties.isEmoji: break
            default: width += scalar.columns
            }
            last = scalar
        }
        return width
    }

    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }

    func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) + self }
}

extension Unicode.Scalar {
    /// Whether it must not reach a terminal as it is.
    var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format:
            // Joiners are part of words and of emoji.
            value != 0x200C && value != 0x200D
        default: false
        }
    }

    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        // Vowels and finals of Hangul join what stands before them; a flag is a pair of letters.
        case 0x1160...0x11FF: return 0
        case 0x1F1E6...0x1F1FF: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}

/// Texts as they may be shown on a terminal.
extension String {
    /// The text with everything escaped that a terminal would act on, or that would make it look like another text: control
    /// characters, line ends, marks of the writing direction. Everything printed that comes from a file, a file's name or the
    /// command line passes through here.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
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

    /// As `printable`, and cut off behind so many characters: names of a million characters are possible.
    func printable(limit: Int) -> String {
        let start = prefix(limit)
        return start.endIndex == endIndex ? printable : String(start).printable + "…"
    }

    /// The columns it takes up on a terminal.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

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
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

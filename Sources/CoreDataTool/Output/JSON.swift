import Foundation

/// A JSON value whose keys keep their order.
enum JSON {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    /// A number in decimal digits, more of them than a `Double` may have.
    case digits(String)
    case text(String)
    case list([JSON])
    case object([(String, JSON)])

    static func text(orNull text: String?) -> JSON { text.map(JSON.text) ?? .null }
    static func integer(orNull value: Int64?) -> JSON { value.map(JSON.integer) ?? .null }
    static func count(_ value: some BinaryInteger) -> JSON { .integer(Int64(clamping: value)) }
    static func texts(_ values: some Sequence<String>) -> JSON { .list(values.map(JSON.text)) }

    /// With line ends and two spaces a level, and one line end behind.
    var document: String {
        var result = ""
        write(to: &result, indent: 0)
        return result + "\n"
    }

    /// On one line, without a line end behind.
    var line: String {
        var result = ""
        writeLine(to: &result)
        return result
    }

    /// Appends what `line` is.
    func writeLine(to result: inout String) {
        switch self {
        case .list(let members):
            result += "["
            for (index, member) in members.enumerated() {
                if index > 0 { result += ", " }
                member.writeLine(to: &result)
            }
            result += "]"
        case .object(let members):
            result += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { result += ", " }
                Self.write(member.0, to: &result)
                result += ": "
                member.1.writeLine(to: &result)
            }
            result += "}"
        default: write(to: &result, indent: 0)
        }
    }

    private func write(to result: inout String, indent: Int) {
        switch self {
        case .null: result += "null"
        case .boolean(let value): result += value ? "true" : "false"
        case .integer(let value): result += String(value)
        case .digits(let text): result += text
        case .number(let value): result += value.isFinite ? String(value) : "null"
        case .text(let value): Self.write(value, to: &result)
        case .list(let members):
            Self.write(members.count, "[", "]", to: &result, indent) { index, result in
                members[index].write(to: &result, indent: indent + 1)
            }
        case .object(let members):
            Self.write(members.count, "{", "}", to: &result, indent) { index, result in
                Self.write(members[index].0, to: &result)
                result += ": "
                members[index].1.write(to: &result, indent: indent + 1)
            }
        }
    }

    private static func write(
        _ count: Int, _ start: String, _ end: String, to result: inout String, _ indent: Int,
        _ member: (Int, inout String) -> Void
    ) {
        result += start
        for index in 0..<count {
            result += (index == 0 ? "\n" : ",\n") + String(repeating: "  ", count: indent + 1)
            member(index, &result)
        }
        if count > 0 { result += "\n" + String(repeating: "  ", count: indent) }
        result += end
    }

    /// What a terminal would act on is escaped here too, in JSON's own way.
    private static func write(_ text: String, to result: inout String) {
        result += "\""
        if text.isPlain {
            result += text
            result += "\""
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isUnprintable:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        result += "\""
    }
}

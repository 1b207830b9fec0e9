import Foundation

/// Numbers as people read them.
enum Quantity {
    /// `1,234,567`
    static func count(_ value: Int64) -> String {
        var digits = Substring(String(value.magnitude))
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        groups.insert(digits, at: 0)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// `3 rows`, `1 row`
    static func count(_ value: Int64, _ noun: String, _ plural: String? = nil) -> String {
        "\(count(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// `1.2 MB (1,234,567 bytes)`; a decimal megabyte, as file managers count.
    static func bytes(_ value: Int64) -> String {
        let exact = count(value, "byte")
        return value.magnitude < 1000 ? exact : "\(size(value)) (\(exact))"
    }

    /// `1.2 MB`
    static func size(_ value: Int64) -> String {
        if value.magnitude < 1000 { return count(value, "byte") }
        var amount = Double(value)
        var unit = 0
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        amount /= 1000
        while abs(amount) >= 999.95, unit < units.count - 1 {
            amount /= 1000
            unit += 1
        }
        return String(format: "%.1f %@", amount, units[unit] as NSString)
    }

    /// `2024-05-01T12:00:00Z`; nil for a time no calendar has.
    static func time(_ date: Date) -> String? {
        guard abs(date.timeIntervalSince1970) < 250_000_000_000 else { return nil }
        return ISO8601DateFormatter().string(from: date)
    }
}

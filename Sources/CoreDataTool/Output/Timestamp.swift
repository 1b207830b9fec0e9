import Foundation

/// Times in ISO 8601, UTC. Foundation's formatters take microseconds for each, too long for a million rows.
enum Timestamp {
    private static let referenceSeconds: Int64 = 978_307_200

    /// `2024-05-01T12:00:00Z`, with milliseconds where there are some; nil for a time no calendar has.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite, abs(interval) < 2e11 else { return nil }
        let milliseconds = Int64((interval * 1000).rounded())
        var seconds = milliseconds / 1000
        var rest = milliseconds % 1000
        if rest < 0 {
            rest += 1000
            seconds -= 1
        }
        seconds += referenceSeconds
        var days = seconds / 86_400
        var time = seconds % 86_400
        if time < 0 {
            time += 86_400
            days -= 1
        }
        let (year, month, day) = civil(days)
        var text = year < 0 ? "-" + padded(-year, 4) : padded(year, 4)
        text += "-" + padded(month, 2) + "-" + padded(day, 2)
        text += "T" + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
        if rest != 0 { text += "." + padded(rest, 3) }
        return text + "Z"
    }

    /// Year, month and day of a day counted from 1970-01-01, by the Gregorian calendar also before its time.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Counted in eras of 400 years that begin on a 1 March, so that the leap day comes last.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
    }

    /// The time of a text: a day, or a day and a time, in UTC unless the text names another zone.
    static func date(_ text: String) -> Date? {
        let text = text.replacingOccurrences(of: " ", with: "T")
        for options: ISO8601DateFormatter.Options in [
            [.withInternetDateTime], [.withInternetDateTime, .withFractionalSeconds], [.withFullDate],
        ] {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = options
            for candidate in options == [.withFullDate] ? [text] : [text, text + "Z", text + ":00Z"] {
                if let date = formatter.date(from: candidate) { return date }
            }
        }
        return nil
    }
}

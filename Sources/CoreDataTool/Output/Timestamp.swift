import Foundation

/// Times in ISO 8601, UTC. Foundation's formatters take microseconds for each, too long for a million rows.
enum Timestamp {
    private static let referenceSeconds: Int64 = 978_307_200

    /// `2024-05-01T12:00:00Z`, with milliseconds where there are some; nil for a time further away than
    /// 900,000 years, which no calendar has.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite, abs(interval) < 2.8e13 else { return nil }
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
        // A year of more than four digits has a sign.
        var text = year < 0 ? "-" + padded(-year, 4) : (year > 9999 ? "+" : "") + padded(year, 4)
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
    ///
    ///     2024-05-01  2024-05-01T12:00  2024-05-01 12:00:00.25  2024-05-01T12:00:00+02:00  -0044-03-15  +12024-05-01
    static func date(_ text: String) -> Date? {
        let form =
            /([+-]?)(\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?)?/
        guard let parts = text.wholeMatch(of: form.asciiOnlyDigits())?.output else { return nil }
        func number(_ part: Substring?) -> Int64 { part.flatMap { Int64($0) } ?? 0 }
        let year = parts.1 == "-" ? -number(parts.2) : number(parts.2)
        let (month, day) = (number(parts.3), number(parts.4))
        let (hour, minute, second) = (number(parts.5), number(parts.6), number(parts.7))
        let days = days(year, month, day)
        // Counted forth and back a day that a month does not have is another one.
        guard (1...12).contains(month), civil(days) == (year, month, day), hour < 24, minute < 60, second < 60 else {
            return nil
        }
        let offset = (number(parts.10) * 60 + number(parts.11)) * (parts.9 == "-" ? -60 : 60)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset - referenceSeconds
        let fraction = parts.8.flatMap { Double("0" + $0) } ?? 0
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    /// The day counted from 1970-01-01: the inverse of `civil`.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

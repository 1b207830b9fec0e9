import Foundation
import Testing

@testable import CoreDataTool

/// Times as text, compared with Foundation's formatter.
struct TimestampTests {
    @Test func everyDayOfFourCenturies() {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -146_097, to: 2 * 146_097, by: 97) {
            let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 + 12_345)
            #expect(Timestamp.text(date) == formatter.string(from: date))
        }
    }

    @Test func fractionsAreMilliseconds() {
        for (seconds, text) in [
            (0.25, "2001-01-01T00:00:00.250Z"), (-0.25, "2000-12-31T23:59:59.750Z"), (0.0004, "2001-01-01T00:00:00Z"),
            (59.9996, "2001-01-01T00:01:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (-978_307_200.5, "1969-12-31T23:59:59.500Z"),
        ] {
            #expect(Timestamp.text(Date(timeIntervalSinceReferenceDate: seconds)) == text)
        }
        #expect(Timestamp.text(Date(timeIntervalSinceReferenceDate: .infinity)) == nil)
        #expect(Timestamp.text(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
    }

    @Test func textsAreTimes() {
        for (text, seconds) in [
            ("2001-01-01", 0.0), ("2001-01-01T00:00:01Z", 1), ("2001-01-01 00:00:01Z", 1),
            ("2001-01-01T01:00:00+01:00", 0),
            ("2001-01-01T00:00:01", 1), ("2001-01-01T00:00:00.250Z", 0.25), ("2001-01-01T00:01", 60),
        ] {
            #expect(Timestamp.date(text)?.timeIntervalSinceReferenceDate == seconds, "\(text)")
        }
        for text in [
            "", "tomorrow", "2001", "2001-13-01", "12:00", "2001-02-29", "2001-00-10", "2001-01-01T24:00",
            "2001-01-01T00:60",
            "2001-01-01 ", "２００１-01-01", "2001-01-01T00:00+1",
        ] { #expect(Timestamp.date(text) == nil, "\(text)") }
    }

    @Test func whatIsShownIsReadBack() {
        for days in stride(from: -2_000_000.0, to: 5_000_000, by: 1237) {
            let date = Date(timeIntervalSinceReferenceDate: days * 86_400 + 0.25)
            #expect(Timestamp.text(date).flatMap(Timestamp.date) == date)
        }
    }

    /// Days as a calendar that reaches from year 1 to 9999 counts them, and one leap year before it.
    @Test func yearsOfFewerOrMoreThanFourDigits() {
        for (text, days) in [
            ("0000-01-01T00:00:00Z", -730_851.0), ("-0001-12-31T00:00:00Z", -730_852),
            ("9999-12-31T00:00:00Z", 2_921_573), ("+10000-01-01T00:00:00Z", 2_921_574),
        ] {
            let date = Date(timeIntervalSinceReferenceDate: days * 86_400)
            #expect(Timestamp.text(date) == text)
            #expect(Timestamp.date(text) == date)
        }
    }
}

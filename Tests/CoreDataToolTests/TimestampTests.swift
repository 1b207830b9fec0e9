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
        for text in ["", "tomorrow", "2001", "2001-13-01", "12:00"] { #expect(Timestamp.date(text) == nil, "\(text)") }
    }
}

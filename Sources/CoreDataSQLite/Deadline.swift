import Foundation

/// A point in time on the monotonic clock, which setting the wall clock does not move.
package struct Deadline: Sendable {
    private let nanoseconds: UInt64

    /// A deadline `seconds` from now. Negative and not-a-number count as zero; anything beyond a year is a year.
    package init(after seconds: Double) {
        let bounded = seconds > 0 ? min(seconds, 31_536_000) : 0
        nanoseconds = DispatchTime.now().uptimeNanoseconds + UInt64(bounded * 1e9)
    }

    /// Seconds left, never negative.
    package var remaining: Double {
        let now = DispatchTime.now().uptimeNanoseconds
        return now >= nanoseconds ? 0 : Double(nanoseconds - now) / 1e9
    }

    package var hasPassed: Bool { remaining == 0 }
}

import Foundation

/// Lets one thread of this process at a time open, make, destroy or replace the store at a place.
enum StoreGate {
    private final class Gate: @unchecked Sendable {
        let condition = NSCondition()
        var busy: Set<StoreLocation> = []
    }

    private static let gate = Gate()

    /// Runs `body` alone for these places. Nothing in it may call foreign code.
    static func alone<T>(_ locations: StoreLocation..., body: () throws -> T) rethrows -> T {
        let wanted = Set(locations)
        gate.condition.lock()
        while !gate.busy.isDisjoint(with: wanted) { gate.condition.wait() }
        gate.busy.formUnion(wanted)
        gate.condition.unlock()
        defer {
            gate.condition.lock()
            gate.busy.subtract(wanted)
            gate.condition.broadcast()
            gate.condition.unlock()
        }
        return try body()
    }
}

import CoreDataCSQLite

/// An aggregate function's work on one group of rows.
package protocol SQLiteAggregate: AnyObject {
    /// Takes the arguments of one more row.
    func step(_ call: SQLiteFunctionCall) throws
    /// Sets the result; also of a group without rows.
    func finish(_ call: SQLiteFunctionCall) throws
}

/// What SQLite holds by address.
private final class AggregateMaker {
    let make: () -> any SQLiteAggregate

    init(_ make: @escaping () -> any SQLiteAggregate) { self.make = make }

    static func of(_ context: OpaquePointer) -> AggregateMaker? {
        sqlite3_user_data(context).map { Unmanaged<AggregateMaker>.fromOpaque($0).takeUnretainedValue() }
    }
}

private final class AggregateState {
    let aggregate: any SQLiteAggregate

    init(_ aggregate: any SQLiteAggregate) { self.aggregate = aggregate }
}

extension SQLiteConnection {
    /// Registers an aggregate function for this connection; `make` is called once a group of rows.
    package func register(
        aggregate name: String, argumentCount: Int, traits: FunctionTraits = [.deterministic, .directOnly],
        _ make: @escaping () -> any SQLiteAggregate
    ) throws {
        let maker = Unmanaged.passRetained(AggregateMaker(make)).toOpaque()
        let result = sqlite3_create_function_v2(
            handle, name, Int32(clamping: argumentCount), SQLITE_UTF8 | traits.rawValue, maker, nil,
            { context, count, values in
                guard let context, let state = groupState(context) else { return }
                let call = SQLiteFunctionCall(context: context, values: values, count: Int(count))
                do { try state.aggregate.step(call) } catch { call.fail(error) }
            },
            { context in
                guard let context, let maker = AggregateMaker.of(context) else { return }
                let call = SQLiteFunctionCall(context: context, values: nil, count: 0)
                // No memory was asked for if there was no row. Called also to clean up after a failure.
                let place = groupMemory(context, size: 0)
                let state = place?.pointee.map { Unmanaged<AggregateState>.fromOpaque($0).takeRetainedValue() }
                place?.pointee = nil
                do { try (state?.aggregate ?? maker.make()).finish(call) } catch { call.fail(error) }
            },
            // Called also when the registration fails.
            { address in
                if let address { Unmanaged<AggregateMaker>.fromOpaque(address).release() }
            })
        guard result == SQLITE_OK else { throw SQLiteError(result, on: handle, path: path) }
    }
}

private func groupMemory(
    _ context: OpaquePointer, size: Int
) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

/// A group's state, made with its first row. SQLite hands out zeroed memory for the address.
private func groupState(_ context: OpaquePointer) -> AggregateState? {
    guard let place = groupMemory(context, size: MemoryLayout<UnsafeMutableRawPointer?>.size) else {
        sqlite3_result_error_nomem(context)
        return nil
    }
    if let known = place.pointee { return Unmanaged<AggregateState>.fromOpaque(known).takeUnretainedValue() }
    guard let maker = AggregateMaker.of(context) else { return nil }
    let state = AggregateState(maker.make())
    place.pointee = Unmanaged.passRetained(state).toOpaque()
    return state
}

import CoreDataCSQLite

/// A closure that SQLite holds by address.
private final class Box<Content> {
    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    static func at(_ address: UnsafeMutableRawPointer?) -> Box? {
        address.map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue() }
    }
}

private typealias FunctionBox = Box<(SQLiteFunctionCall) throws -> Void>
private typealias CollationBox = Box<(UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32>

extension SQLiteConnection {
    package struct FunctionTraits: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Same arguments, same result: SQLite may call it once for constant arguments, and indexes may use it.
        package static let deterministic = FunctionTraits(rawValue: SQLITE_DETERMINISTIC)
        /// Callable from statements only, never from what a file's schema brings along (triggers, views, checks).
        package static let directOnly = FunctionTraits(rawValue: SQLITE_DIRECTONLY)
        /// Harmless whoever calls it, so that any schema may.
        package static let innocuous = FunctionTraits(rawValue: SQLITE_INNOCUOUS)
    }

    /// Registers an SQL function for this connection. An error thrown by `body` makes the statement fail with its text.
    ///
    /// A file's schema reaches only functions that say so in their traits. That, rather than switching off SQLite's
    /// `trusted_schema`, keeps a foreign file from calling into the program: the switch would also refuse the triggers that
    /// keep an R-tree index up to date (so does SQLite 3.40), which Core Data's stores may have.
    ///
    /// - Parameter argumentCount: -1 for any number.
    package func register(
        function name: String, argumentCount: Int, traits: FunctionTraits = [.deterministic, .directOnly],
        _ body: @escaping (SQLiteFunctionCall) throws -> Void
    ) throws {
        let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
        let result = sqlite3_create_function_v2(
            handle, name, Int32(clamping: argumentCount), SQLITE_UTF8 | traits.rawValue, box,
            { context, count, values in
                guard let context, let box = FunctionBox.at(sqlite3_user_data(context)) else { return }
                let call = SQLiteFunctionCall(context: context, values: values, count: Int(count))
                do { try box.content(call) } catch { call.fail(error) }
            }, nil, nil,
            // Called also when the registration fails.
            { address in
                if let address { Unmanaged<FunctionBox>.fromOpaque(address).release() }
            })
        guard result == SQLITE_OK else { throw SQLiteError(result, on: handle, path: path) }
    }

    /// Registers a collation: `compare` gets two texts as UTF-8 and returns a number below, at or above zero. It must be a
    /// total order, or indexes that use it are damaged.
    package func register(
        collation name: String, _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
    ) throws {
        let box = Unmanaged.passRetained(CollationBox(compare))
        let result = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box.toOpaque(),
            { address, leftCount, left, rightCount, right in
                guard let box = CollationBox.at(address) else { return 0 }
                return box.content(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            },
            { address in
                if let address { Unmanaged<CollationBox>.fromOpaque(address).release() }
            })
        guard result == SQLITE_OK else {
            // Unlike for a function, SQLite does not give the box back.
            box.release()
            throw SQLiteError(result, on: handle, path: path)
        }
    }
}

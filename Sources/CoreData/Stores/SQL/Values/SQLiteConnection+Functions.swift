import CoreDataSQLite
import Foundation

extension SQLiteConnection {
    /// Makes the functions and collations known that compiled requests use. To be called once for each connection.
    func registerRequestFunctions() throws {
        try registerValueLists()
        try registerCalculations()
        // coredata_matches(text, matcher): whether the text passes the test.
        try register(function: "coredata_matches", argumentCount: 2) { call in
            guard let text = call.textBytes(0), let matcher = TextMatcher.argument(call, 1) else { return }
            call.result(try matcher.matches(text))
        }
        // coredata_order(text, matcher): below, at or above zero.
        try register(function: "coredata_order", argumentCount: 2) { call in
            guard let text = call.textBytes(0), let matcher = TextMatcher.argument(call, 1) else { return }
            call.result(Int64(matcher.order(text)))
        }
        // coredata_text_order(text, text, options)
        try register(function: "coredata_text_order", argumentCount: 3) { call in
            guard let left = call.text(0), let right = call.text(1) else { return }
            let options = NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: call.int64(2)))
            call.result(Int64(StringFolding.compare(left, right, options: options).rawValue))
        }
        // coredata_text_test(text, text, operator, options)
        try register(function: "coredata_text_test", argumentCount: 4) { call in
            guard let left = call.text(0), let right = call.text(1) else { return }
            let options = NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: call.int64(3)))
            switch NSComparisonPredicate.Operator(rawValue: UInt(truncatingIfNeeded: call.int64(2))) {
            case .beginsWith: call.result(StringFolding.begins(left, with: right, options: options))
            case .endsWith: call.result(StringFolding.ends(left, with: right, options: options))
            case .contains: call.result(StringFolding.contains(left, right, options: options))
            case .like: call.result(StringFolding.like(left, pattern: right, options: options))
            case .matches: call.result(try StringFolding.matches(left, pattern: right, options: options))
            default: break
            }
        }
        for collation in SQLCollation.allCases {
            let order = collation.order
            try register(collation: collation.rawValue) { left, right in
                let left = String(decoding: left, as: UTF8.self)
                return Int32(order.compare(left, String(decoding: right, as: UTF8.self)).rawValue)
            }
        }
    }
}

extension TextMatcher {
    /// The matcher bound to an argument.
    fileprivate static func argument(_ call: SQLiteFunctionCall, _ index: Int) -> TextMatcher? {
        guard let value = call.value(index), let address = sqlite3_value_pointer(value, pointerType.cString) else {
            return nil
        }
        return Unmanaged<TextMatcher>.fromOpaque(address).takeUnretainedValue()
    }
}

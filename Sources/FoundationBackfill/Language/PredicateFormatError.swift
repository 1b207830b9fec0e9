import Foundation

/// Why a predicate's or an expression's format could not be read.
///
/// As an `NSError`: ``errorDomain``, code 1. The description shows the format with a caret under the fault:
///
///     Unable to parse the format string "name ===": expected a value
///         name ===
///                ^
public struct PredicateFormatError: Error, Equatable, LocalizedError, CustomNSError, CustomStringConvertible {
    /// The domain of the error as an `NSError`.
    public static let errorDomain = "PredicateFormatErrorDomain"

    /// The format given.
    public let format: String
    /// Where in the format the fault lies, in UTF-8 bytes from its start.
    public let utf8Offset: Int
    /// What is wrong or was expected there, in a few words.
    public let reason: String

    public var errorCode: Int { 1 }

    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    public var errorDescription: String? { description }

    public var description: String {
        // The line of the fault only: a format may span several.
        let bytes = Array(format.utf8)
        let offset = min(utf8Offset, bytes.count)
        let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let before = String(decoding: bytes[start..<offset], as: UTF8.self)
        let indent = String(before.map { $0 == "\t" ? "\t" : " " })
        return "Unable to parse the format string \"\(format)\": \(reason)\n    \(line)\n    \(indent)^"
    }
}

import Foundation

/// Reads the values of a C argument list.
enum CArguments {
    /// One value for each specifier of a format, of the type that the specifier names, as C defines it.
    ///
    /// C's own formatting takes the arguments apart: only it knows where the machine keeps them. Objects and texts come
    /// out as addresses.
    static func values(of list: CVaListPointer, for format: String) throws -> [Any] {
        var readers: [(Substring) -> Any] = []
        var pieces: [String] = []
        for token in try PredicateLexer.tokens(of: format) {
            guard case .argument(let kind) = token.kind else { continue }
            let (piece, reader) = conversion(kind, specifier: Array(format.utf8)[token.range])
            pieces.append(piece)
            readers.append(reader)
        }
        var buffer = [CChar](repeating: 0, count: pieces.count * 64 + 1)
        vsnprintf(&buffer, buffer.count, pieces.joined(separator: " "), list)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return zip(text.split(separator: " "), readers).map { $1($0) }
    }

    private static func conversion(
        _ kind: PredicateArgument, specifier: ArraySlice<UInt8>
    ) -> (String, (Substring) -> Any) {
        let length = String(decoding: specifier.filter { "hlqztjL".utf8.contains($0) }, as: UTF8.self)
        switch kind {
        case .object, .keyPath:
            return (
                "%p",
                { text in
                    guard let pointer = pointer(text) else { return NSNull() }
                    return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
                }
            )
        case .text:
            return (
                "%p",
                { text in
                    guard let pointer = pointer(text) else { return NSNull() }
                    return String(cString: pointer.assumingMemoryBound(to: CChar.self))
                }
            )
        case .real:
            return (length == "L" ? "%.17Lg" : "%.17g", { Double($0) ?? .nan })
        case .integer:
            let letter = specifier.last.map { UnicodeScalar($0) } ?? "d"
            let isLong = "DUO".unicodeScalars.contains(letter)
            let isUnsigned = "uUxXoO".unicodeScalars.contains(letter)
            let piece = "%" + (isLong ? "l" : length == "q" ? "ll" : length) + (isUnsigned ? "u" : "d")
            return (piece, { text in Int64(text) ?? UInt64(text).map { $0 as Any } ?? NSNull() })
        }
    }

    private static func pointer(_ text: Substring) -> UnsafeRawPointer? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text
        return UInt(digits, radix: 16).flatMap(UnsafeRawPointer.init(bitPattern:))
    }
}

import Foundation

/// The column form of a binary attribute that may be stored outside: rows keep it as it is, and objects take it apart when
/// somebody reads the value, so that fetching never opens a file.
///
/// - `0x01` and the bytes themselves, or
/// - `0x02`, the name of a file (36 characters of a UUID) and `0x00`.
enum ExternalData {
    case inline(UnsafeRawBufferPointer)
    case file(name: String)

    private static let inlineMark: UInt8 = 1
    private static let fileMark: UInt8 = 2

    /// Takes column bytes apart. Bytes without a mark, as a file changed by other programs may have, count as they are.
    init(column bytes: UnsafeRawBufferPointer) {
        switch bytes.first {
        case Self.inlineMark: self = .inline(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        case Self.fileMark where bytes.count == 38 && bytes[37] == 0:
            self = .file(name: String(decoding: bytes[1..<37], as: UTF8.self))
        default: self = .inline(bytes)
        }
    }

    /// No value of fewer bytes lies in a file.
    static let smallestFile = 100_000

    /// The column form of bytes that stay in the row.
    static func inlined(_ data: Data) -> Data {
        var column = Data(capacity: data.count + 1)
        column.append(inlineMark)
        column.append(data)
        return column
    }
}

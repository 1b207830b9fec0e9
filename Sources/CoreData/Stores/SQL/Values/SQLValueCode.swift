import CoreDataSQLite
import Foundation

/// How the functions registered with SQLite are told what kind of value an argument is.
enum SQLValueCode: Int64 {
    /// A number by its storage: whole, real, or a text that is an exact decimal.
    case number
    case text
    case uri
    /// Seconds since the reference date.
    case date
    case uuid
    case data
    /// The column of a decimal attribute: a real counts with its shortest decimal text.
    case decimal
}

extension SQLiteFunctionCall {
    /// An argument in the form in which predicates in memory compare it; `code` is the number of the argument that tells its
    /// kind.
    func comparable(_ index: Int, code: Int) -> ComparableValue {
        comparable(index, SQLValueCode(rawValue: int64(code)) ?? .number)
    }

    func comparable(_ index: Int, _ code: SQLValueCode) -> ComparableValue {
        let type = type(index)
        if type == .null { return .null }
        switch code {
        case .number, .decimal:
            switch type {
            case .integer: return code == .number ? .integer(int64(index)) : .decimal(Decimal(int64(index)))
            case .float:
                let value = double(index)
                return code == .number ? .real(value) : Decimal(nearest: value).map(ComparableValue.decimal) ?? .null
            default: return Decimal(string: text(index) ?? "").map(ComparableValue.decimal) ?? .null
            }
        case .text: return text(index).map(ComparableValue.text) ?? .null
        case .uri: return text(index).map(ComparableValue.url) ?? .null
        case .date: return .date(double(index))
        case .uuid:
            guard type == .blob, let bytes = blobBytes(index), bytes.count == 16 else {
                return text(index).flatMap(UUID.init(uuidString:)).map(ComparableValue.uuid) ?? .null
            }
            return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .data: return .data(blobBytes(index).map { Data($0) } ?? Data())
        }
    }

    /// An argument as a value that functions calculate with.
    func value(_ index: Int, code: Int) -> Any? {
        switch comparable(index, code: code) {
        case .integer(let value): value
        case .real(let value): value
        case .decimal(let value): value
        case .text(let text): text
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .uuid(let uuid): uuid
        case .data(let data): data
        case .url(let text): URL(string: text)
        default: nil
        }
    }

    /// Decimals go back as exact texts, dates as seconds.
    func result(_ value: ComparableValue) {
        switch value {
        case .integer(let value): result(value)
        case .real(let value): value.isNaN ? resultNull() : result(value)
        case .decimal(let value): value.isNaN ? resultNull() : result(value.description)
        case .text(let text), .url(let text): result(text)
        case .date(let seconds): result(seconds)
        case .uuid(let uuid): result(uuid.bytes)
        case .data(let data): result(data)
        case .null, .identity, .collection, .object, .other: resultNull()
        }
    }
}

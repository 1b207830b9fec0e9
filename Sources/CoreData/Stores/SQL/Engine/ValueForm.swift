import CoreDataSQLite
import Foundation

/// In which form a value of a statement is handed out.
enum ValueForm {
    case integer, boolean, double, float, date, decimal, string, uri, uuid, data, externalData, transformable
    /// A computed number, as it comes: whole, real, or an exact decimal as text.
    case number

    init?(_ kind: SlotKind) {
        switch kind {
        case .integer: self = .integer
        case .boolean: self = .boolean
        case .double: self = .double
        case .float: self = .float
        case .date: self = .date
        case .decimal: self = .decimal
        case .string: self = .string
        case .uri: self = .uri
        case .uuid: self = .uuid
        case .data: self = .data
        case .transformable: self = .transformable
        case .toOneKey, .toOneEntity, .transient: return nil
        }
    }

    /// nil for a type that says nothing about it.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .float
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        default: return nil
        }
    }

    /// The value of a column, nil for NULL.
    ///
    /// - Throws: `NSError` (134180) naming the column where the value cannot be of this form.
    func value(
        _ statement: SQLiteStatement, _ place: Int, _ name: String, _ attribute: NSAttributeDescription?,
        _ store: ColumnSource
    ) throws -> Any? {
        let type = statement.type(place)
        if type == .null { return nil }
        switch self {
        case .integer, .boolean, .double, .float, .date:
            // A computed decimal that was declared to be another number is a text.
            guard type == .integer || type == .float || decimal(statement, place, type) != nil else {
                throw unreadable(name)
            }
            return number(statement, place)
        case .number:
            switch type {
            case .integer: return NSNumber(value: statement.int64(place))
            case .float: return NSNumber(value: statement.double(place))
            default:
                guard let decimal = decimal(statement, place, type) else { throw unreadable(name) }
                return NSDecimalNumber(decimal: decimal)
            }
        case .decimal:
            guard let decimal = decimal(statement, place, type) else { throw unreadable(name) }
            return NSDecimalNumber(decimal: decimal)
        case .string: return statement.text(place)
        case .uri: return statement.text(place).flatMap(URL.init(string:))
        case .uuid:
            if type == .text, let uuid = UUID(uuidString: statement.text(place) ?? "") { return uuid }
            guard type == .blob, let bytes = statement.blobBytes(place), bytes.count == 16 else {
                throw unreadable(name)
            }
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        case .data: return statement.blob(place)
        case .externalData:
            guard let bytes = statement.blobBytes(place) else { return nil }
            switch ExternalData(column: bytes) {
            case .inline(let bytes): return bytes.isEmpty ? Data() : Data(bytes)
            case .file(let file): return try store.files?.data(named: file)
            }
        case .transformable:
            guard let data = statement.blob(place) else { return nil }
            guard let attribute else { return data }
            return try ArchivedValue.decode(data, attribute)
        }
    }

    private func decimal(_ statement: SQLiteStatement, _ place: Int, _ type: SQLiteType) -> Decimal? {
        switch type {
        case .float: Decimal(nearest: statement.double(place))
        case .integer: Decimal(statement.int64(place))
        case .text: Decimal(string: statement.text(place) ?? "", locale: nil)
        case .blob, .null: nil
        }
    }

    private func number(_ statement: SQLiteStatement, _ place: Int) -> Any {
        switch self {
        case .boolean: NSNumber(value: statement.int64(place) != 0)
        case .float: NSNumber(value: Float(statement.double(place)))
        case .double: NSNumber(value: statement.double(place))
        case .date: Date(timeIntervalSinceReferenceDate: statement.double(place))
        default: NSNumber(value: statement.int64(place))
        }
    }

    private func unreadable(_ name: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSSQLiteError,
            userInfo: [
                NSLocalizedDescriptionKey: "A value of the store cannot be read.",
                NSLocalizedFailureReasonErrorKey:
                    "A row has something in the column of \(name) that is not of its type.",
            ])
    }
}

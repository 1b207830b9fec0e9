import Foundation

// Between kept values and the values of key-value coding.

extension SlotValue {
    /// Takes a value of key-value coding; nil if it is none of the kind. `transient` stands for an undefined type: any value.
    init?(_ value: Any, kind: SlotKind) {
        switch kind {
        case .integer:
            guard let number = Self.integer(value) else { return nil }
            self = .integer(number)
        case .boolean:
            guard let number = value as? NSNumber else { return nil }
            self = .integer(number.boolValue ? 1 : 0)
        case .double:
            guard let number = value as? NSNumber else { return nil }
            self = .double(number.doubleValue)
        case .float:
            guard let number = value as? NSNumber else { return nil }
            self = .double(Double(number.floatValue))
        case .date:
            guard let date = value as? Date else { return nil }
            self = .double(date.timeIntervalSinceReferenceDate)
        case .decimal:
            if let number = value as? NSDecimalNumber {
                self = .object(number)
            } else if let decimal = value as? Decimal {
                self = .object(NSDecimalNumber(decimal: decimal))
            } else if let number = value as? NSNumber {
                self = .object(NSDecimalNumber(decimal: number.decimalValue))
            } else {
                return nil
            }
        case .string:
            guard let text = value as? String else { return nil }
            self = .string(text)
        case .uri:
            guard let url = value as? URL else { return nil }
            self = .object(url as NSURL)
        case .uuid:
            guard let uuid = value as? UUID else { return nil }
            self = .uuid(uuid)
        case .data:
            guard let data = value as? Data else { return nil }
            self = .data(data)
        case .transformable, .transient:
            // An object keeps its identity; Swift's values are not turned into objects.
            if type(of: value) is AnyObject.Type {
                self = .object(value as AnyObject)
            } else {
                self = .any(AnyValue(value))
            }
        case .toOneKey, .toOneEntity:
            return nil
        }
    }

    private static func integer(_ value: Any) -> Int64? {
        if let number = value as? Int { return Int64(number) }
        return (value as? NSNumber)?.int64Value
    }

    /// The value as key-value coding gives it out; nil for `null` and `unset`.
    func any(kind: SlotKind) -> Any? {
        switch self {
        case .unset, .null: nil
        case .integer(let number): kind == .boolean ? NSNumber(value: number != 0) : NSNumber(value: number)
        case .double(let number):
            switch kind {
            case .date: Date(timeIntervalSinceReferenceDate: number)
            case .float: NSNumber(value: Float(number))
            default: NSNumber(value: number)
            }
        case .string(let text): text
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .object(let url as NSURL) where kind == .uri: url as URL
        // As a Swift value: hashing an `NSDecimalNumber` never ends with Foundation on Linux.
        case .object(let number as NSDecimalNumber) where kind == .decimal: number.decimalValue
        case .object(let object): object
        case .any(let box): box.value
        case .key: nil
        }
    }

    /// Whether two values of the same kind are equal.
    func isEqual(to other: SlotValue) -> Bool {
        switch (self, other) {
        case (.null, .null), (.unset, .unset), (.null, .unset), (.unset, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right || left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.key(let left), .key(let right)): left == right
        case (.object(let left), .object(let right)):
            left === right || (left as? NSObject)?.isEqual(right) ?? false
        case (.any(let left), .any(let right)):
            left === right || (left.value as? AnyHashable).map { $0 == right.value as? AnyHashable } ?? false
        default: false
        }
    }
}

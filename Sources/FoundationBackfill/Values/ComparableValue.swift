import Foundation

/// A value in the form in which predicates and sort descriptors compare it.
///
/// Swift's and Foundation's types of the same meaning come out as the same case. The rules are those that the SQL
/// compiler follows, so that a predicate means the same in memory and in a store:
/// - Whole numbers, reals and decimals compare by value; a Boolean is 0 or 1; a date is its seconds since 2001.
/// - A real next to a decimal counts with its shortest decimal text (0.1 is 0.1).
/// - If a text meets a number, UUID or URL, the right value is turned into the left one's kind; if that cannot be, they
///   are unequal and have no order.
/// - Texts are ordered by code point, as SQLite's binary collation does.
package enum ComparableValue {
    case null
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    /// Seconds since the reference date.
    case date(Double)
    case uuid(UUID)
    case data(Data)
    case url(String)
    /// A record, by what it stands for.
    case identity(AnyHashable)
    case collection([Any], isUnordered: Bool)
    case object(NSObject)
    case other(Any)

    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        // Exact types first: a cast that fails is slow, and one to a class turns a Swift value into an object.
        let type = Swift.type(of: value)
        if type == String.self, let text = value as? String {
            self = .text(text)
        } else if type == Int.self, let value = value as? Int {
            self = .integer(Int64(value))
        } else if type == Double.self, let value = value as? Double {
            self = .real(value)
        } else if type == Date.self, let value = value as? Date {
            self = .date(value.timeIntervalSinceReferenceDate)
        } else if type == Bool.self, let value = value as? Bool {
            self = .integer(value ? 1 : 0)
        } else if type == UUID.self, let value = value as? UUID {
            self = .uuid(value)
        } else if type is AnyClass {
            self.init(object: value as AnyObject)
        } else {
            self.init(swiftValue: value)
        }
    }

    private init(swiftValue value: Any) {
        switch value {
        case let value as any PredicateComparable: self = .identity(value.predicateIdentity)
        case let value as any BinaryInteger:
            self = Int64(exactly: value).map(Self.integer) ?? .decimal(Decimal(UInt64(truncatingIfNeeded: value)))
        case let value as Decimal: self = .decimal(value)
        case let value as Float: self = .real(Double(value))
        case let value as CGFloat: self = .real(Double(value))
        case let value as Data: self = .data(value)
        case let value as URL: self = .url(value.absoluteString)
        case let value as Substring: self = .text(String(value))
        default:
            if let elements = collectionElements(value) {
                self = .collection(elements, isUnordered: !(value is [Any]))
            } else if let inner = unwrapped(value) {
                if let hashable = inner as? AnyHashable, Swift.type(of: hashable.base) != Swift.type(of: value) {
                    self.init(hashable.base)
                } else if let dictionary = inner as? NSDictionary {
                    self = .object(dictionary)
                } else {
                    self = .other(inner)
                }
            } else {
                self = .null
            }
        }
    }

    private init(object: AnyObject) {
        switch object {
        case let number as NSNumber: self.init(number: number)
        case let text as NSString: self = .text(text as String)
        case is NSNull: self = .null
        case let record as any PredicateComparable: self = .identity(record.predicateIdentity)
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let uuid as NSUUID: self = .uuid(uuid as UUID)
        case let data as NSData: self = .data(data as Data)
        case let url as NSURL: self = .url((url as URL).absoluteString)
        case let array as NSArray: self = .collection(Array(array), isUnordered: false)
        case let set as NSSet: self = .collection(set.allObjects, isUnordered: true)
        case let set as NSOrderedSet: self = .collection(set.array, isUnordered: false)
        case let object as NSObject: self = .object(object)
        default: self = .other(object)
        }
    }

    private init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
        case "f", "d": self = .real(number.doubleValue)
        case "Q", "L":
            let value = number.uint64Value
            self = Int64(exactly: value).map(Self.integer) ?? .decimal(Decimal(value))
        default: self = .integer(number.int64Value)
        }
    }

    /// A number as an object; nil for anything that is not a number.
    package var number: NSNumber? {
        switch self {
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        default: nil
        }
    }

    /// A number as the value that expressions give: never an `NSDecimalNumber`, since on Linux hashing one (in a set, as a
    /// key, by the archiver) runs into endless recursion.
    var numericValue: Any? {
        if case .decimal(let value) = self { value } else { number }
    }

    /// A text, or a number or URL written as one; nil for anything else.
    package var text: String? {
        switch self {
        case .text(let text): text
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .url(let text): text
        case .uuid(let uuid): uuid.uuidString
        default: nil
        }
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The number that a whole text is, as SQLite's numeric affinity reads it.
    package static func number(fromText text: String) -> ComparableValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if let value = Int64(trimmed) { return .integer(value) }
        guard let last = trimmed.utf8.last, (0x30...0x39).contains(last) || last == 0x2E else { return nil }
        return Double(trimmed).map(Self.real)
    }

    /// The number that a text counts as when it is compared with one: the words for yes and no are 1 and 0.
    package static func number(comparedWith text: String) -> ComparableValue? {
        if let number = number(fromText: text) { return number }
        switch text.lowercased() {
        case "yes", "true": return .integer(1)
        case "no", "false": return .integer(0)
        default: return nil
        }
    }
}

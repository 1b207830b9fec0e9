import Foundation
import FoundationBackfill

/// Builds a keyed archive: the list of objects that refer to each other by index.
struct KeyedArchiveWriter {
    private var objects: [PropertyListValue] = [.string("$null")]
    private var strings: [ExactText: Int] = [:]
    private var classes: [[String]: Int] = [:]

    /// What stands for nil.
    static let null = PropertyListValue.uid(0)

    /// A place for an object that others refer to before it is complete.
    mutating func reserve() -> Int {
        objects.append(.null)
        return objects.count - 1
    }

    /// Completes an object.
    ///
    /// - Parameters:
    ///   - index: its reserved place.
    ///   - classNames: the class and its superclasses, the class first.
    mutating func complete(
        _ index: Int, classNames: [String], fields: [(key: String, value: PropertyListValue)]
    ) {
        objects[index] = .dictionary(fields + [("$class", .uid(classIndex(classNames)))])
    }

    /// Adds an object.
    mutating func object(
        _ classNames: [String], _ fields: [(key: String, value: PropertyListValue)]
    ) -> PropertyListValue {
        let index = reserve()
        complete(index, classNames: classNames, fields: fields)
        return .uid(index)
    }

    /// Adds a value without a class, such as a number; texts are shared.
    mutating func plain(_ value: PropertyListValue) -> PropertyListValue {
        if case .string(let text) = value { return string(text) }
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// Adds a text, or refers to the same one.
    mutating func string(_ text: String?) -> PropertyListValue {
        guard let text else { return Self.null }
        // The text at index 0 is what nil is told by, so one that reads the same needs a place of its own.
        if let index = strings[ExactText(text)] { return .uid(index) }
        objects.append(.string(text))
        strings[ExactText(text)] = objects.count - 1
        return .uid(objects.count - 1)
    }

    mutating func array(_ members: [PropertyListValue], className: String = "NSArray") -> PropertyListValue {
        let classNames =
            className == "NSMutableArray" ? ["NSMutableArray", "NSArray", "NSObject"] : [className, "NSObject"]
        return object(classNames, [("NS.objects", .array(members))])
    }

    mutating func set(_ members: [PropertyListValue]) -> PropertyListValue {
        object(["NSSet", "NSObject"], [("NS.objects", .array(members))])
    }

    /// Adds a dictionary; values are references.
    mutating func dictionary(
        _ pairs: [(key: PropertyListValue, value: PropertyListValue)], isMutable: Bool
    ) -> PropertyListValue {
        object(
            isMutable ? ["NSMutableDictionary", "NSDictionary", "NSObject"] : ["NSDictionary", "NSObject"],
            [("NS.keys", .array(pairs.map(\.key))), ("NS.objects", .array(pairs.map(\.value)))])
    }

    /// Adds an object that was kept as it is, with what it refers to.
    mutating func opaque(_ kept: OpaqueArchivedObject) -> PropertyListValue {
        guard let root = kept.nodes.first else { return Self.null }
        // Place 0 of the kept list is a reference to its first object, or a plain value.
        let base = objects.count - 1
        objects.append(contentsOf: kept.nodes.dropFirst().map { Self.shifted($0, by: base) })
        return Self.shifted(root, by: base)
    }

    private static func shifted(_ value: PropertyListValue, by base: Int) -> PropertyListValue {
        switch value {
        case .null: null
        case .uid(let index): .uid(index + base)
        case .array(let members): .array(members.map { shifted($0, by: base) })
        case .dictionary(let pairs): .dictionary(pairs.map { ($0.key, shifted($0.value, by: base)) })
        default: value
        }
    }

    private mutating func classIndex(_ names: [String]) -> Int {
        if let index = classes[names] { return index }
        objects.append(
            .dictionary([
                ("$classname", .string(names.first ?? "NSObject")), ("$classes", .array(names.map { .string($0) })),
            ]))
        classes[names] = objects.count - 1
        return objects.count - 1
    }

    /// The archive as a binary property list.
    ///
    /// - Parameter root: the root object's index.
    func file(root: Int) -> Data {
        BinaryPropertyListWriter.write(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(objects)),
            ]))
    }
}

extension KeyedArchiveWriter {
    /// Adds a value that a model holds: a default, a constant or a piece of user info. A value of a class that no archive of
    /// ours can hold becomes nil.
    mutating func value(_ value: Any?) -> PropertyListValue {
        switch value {
        case nil: return Self.null
        case let kept as OpaqueArchivedObject: return opaque(kept)
        case let text as String: return string(text)
        case let number as NSDecimalNumber: return decimal(number.decimalValue)
        case let number as Decimal: return decimal(number)
        case let number as NSNumber: return plain(Self.number(number))
        case let date as Date:
            return object(["NSDate", "NSObject"], [("NS.time", .real(date.timeIntervalSinceReferenceDate))])
        case let data as Data: return plain(.data(data))
        case let uuid as UUID:
            return object(
                ["NSUUID", "NSObject"], [("NS.uuidbytes", .data(withUnsafeBytes(of: uuid.uuid) { Data($0) }))])
        case let url as URL:
            let base = self.value(url.baseURL)
            let relative = string(url.relativeString)
            return object(["NSURL", "NSObject"], [("NS.base", base), ("NS.relative", relative)])
        case is NSNull: return object(["NSNull", "NSObject"], [])
        case let members as [Any]:
            let references = members.map { self.value($0) }
            return array(references)
        case let members as Set<AnyHashable>:
            let references = members.map { self.value($0.base) }
            return set(references)
        case let members as NSSet:
            let references = members.allObjects.map { self.value($0) }
            return set(references)
        case let pairs as [AnyHashable: Any]: return dictionary(pairs)
        default:
            CoreDataLog.warning("a value of class \(Swift.type(of: value ?? ())) cannot be kept in a cached model")
            return Self.null
        }
    }

    /// Adds a dictionary of values, in the order of the keys' texts so that equal dictionaries give equal archives.
    mutating func dictionary(_ pairs: [AnyHashable: Any]) -> PropertyListValue {
        let sorted = pairs.sorted { "\($0.key)" < "\($1.key)" }
        var references: [(key: PropertyListValue, value: PropertyListValue)] = []
        for pair in sorted { references.append((value(pair.key.base), value(pair.value))) }
        return dictionary(references, isMutable: false)
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .boolean(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// A decimal number by sixteen bytes of mantissa, least significant first.
    private mutating func decimal(_ value: Decimal) -> PropertyListValue {
        var mantissa = Data(capacity: 16)
        var rest = value.isNaN ? Decimal.zero : value.significand
        for _ in 0..<8 {
            var quotient = Decimal()
            var divided = rest / 65536
            NSDecimalRound(&quotient, &divided, 0, .down)
            let word = NSDecimalNumber(decimal: rest - quotient * 65536).uint16Value
            mantissa.append(UInt8(truncatingIfNeeded: word))
            mantissa.append(UInt8(truncatingIfNeeded: word >> 8))
            rest = quotient
        }
        let length = (mantissa.lastIndex { $0 != 0 }.map { $0 / 2 + 1 }) ?? 0
        return object(
            ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            [
                ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(1)),
                ("NS.length", .integer(Int64(length))),
                ("NS.exponent", .integer(Int64(value.isNaN ? 0 : value.exponent))),
                ("NS.negative", .boolean(value.isNaN || value.sign == .minus)), ("NS.compact", .boolean(false)),
            ])
    }
}

import Foundation

/// Decodes values of Foundation's classes: texts, numbers, dates, data, ids, addresses and collections of them.
package struct ArchivedValueReader {
    package let archive: KeyedArchive
    /// How many values may still be decoded. Shared values count each time they are met, so that a small archive cannot
    /// unfold into an endless one.
    package var budget = ArchiveLimit.objects

    /// What becomes of an object of any other class, given by the number of its property-list object.
    package typealias UnknownObject = (KeyedArchive, Int, inout Int) throws(NSError) -> Any?

    private let unknownObject: UnknownObject

    package init(archive: KeyedArchive, unknownObject: @escaping UnknownObject) {
        self.archive = archive
        self.unknownObject = unknownObject
    }

    /// The root object; nil for null.
    package mutating func root() throws(NSError) -> Any? {
        try value(archive.rootReference)
    }

    /// A value; nil for null.
    ///
    /// - Parameter number: the property-list object, as a field holds it.
    package mutating func value(_ number: Int?, depth: Int = 0) throws(NSError) -> Any? {
        guard let number else { return nil }
        budget -= 1
        guard budget >= 0, depth <= ArchiveLimit.depth else {
            throw corruptArchive("The archive's values are beyond the bounds.")
        }
        switch try archive.element(number) {
        case .null: return nil
        case .plain(let node): return try plainValue(node)
        case .object(let index): return try objectValue(index, number, depth: depth)
        }
    }

    private func plainValue(_ node: BinaryPropertyList.Node) throws(NSError) -> Any? {
        switch node {
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let value): return Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): return value
        case .string(let value): return value
        default: throw corruptArchive("The archive has a collection where a value is due.")
        }
    }

    private mutating func objectValue(_ index: Int, _ number: Int, depth: Int) throws(NSError) -> Any? {
        let object = try archive.object(at: index)
        let fields = object.fields
        switch object.className {
        case "NSString", "NSMutableString": return try archive.string(number)
        case "NSNull": return NSNull()
        case "NSDate":
            guard let field = fields["NS.time"], let time = try real(field) else { break }
            return Date(timeIntervalSinceReferenceDate: time)
        case "NSData", "NSMutableData":
            guard let field = fields["NS.data"], case .data(let data) = try archive.plist.node(field) else { break }
            return data
        case "NSUUID":
            guard let field = fields["NS.uuidbytes"], case .data(let data) = try archive.plist.node(field),
                data.count == 16
            else { break }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case "NSURL":
            guard let relative = try archive.string(fields["NS.relative"]) else { break }
            let base = try value(fields["NS.base"], depth: depth + 1) as? URL
            guard let url = URL(string: relative, relativeTo: base) else { break }
            return url
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            guard let decimal = try decimal(fields) else { break }
            return decimal
        case "NSArray", "NSMutableArray": return try values(number, depth: depth)
        case "NSOrderedSet", "NSMutableOrderedSet":
            let members = try values(number, depth: depth)
            guard !containsDecimals(members) else { throw corruptArchive("An ordered set of decimals cannot be read.") }
            return NSOrderedSet(array: members)
        case "NSSet", "NSMutableSet": return hashedSet(of: try values(number, depth: depth))
        case "NSDictionary", "NSMutableDictionary":
            var result: [AnyHashable: Any] = [:]
            for pair in try archive.pairs(number) ?? [] {
                guard let key = try value(pair.key, depth: depth + 1) as? AnyHashable else { continue }
                result[key] = try value(pair.value, depth: depth + 1) ?? NSNull()
            }
            return result
        default: return try unknownObject(archive, number, &budget)
        }
        throw corruptArchive("The archive has a damaged value of class \(object.className).")
    }

    private mutating func values(_ number: Int, depth: Int) throws(NSError) -> [Any] {
        var result: [Any] = []
        for member in try archive.list(number) ?? [] {
            result.append(try value(member, depth: depth + 1) ?? NSNull())
        }
        return result
    }

    private func real(_ number: Int) throws(NSError) -> Double? {
        switch try archive.element(number) {
        case .plain(.real(let value)): value
        case .plain(.integer(let value)): Double(value)
        default: nil
        }
    }

    /// A decimal number from its parts: sixteen bytes of mantissa, in 16-bit words of the stated byte order.
    private func decimal(_ fields: [String: Int]) throws(NSError) -> Decimal? {
        guard let field = fields["NS.mantissa"], case .data(let bytes) = try archive.plist.node(field),
            bytes.count == 16, let length = try archive.integer(fields["NS.length"]), (0...8).contains(length),
            let exponent = try archive.integer(fields["NS.exponent"]), (-128...127).contains(exponent)
        else { return nil }
        let isNegative = try archive.boolean(fields["NS.negative"])
        // The byte order is 1 for little-endian, as CFByteOrder counts.
        let isLittleEndian = try archive.integer(fields["NS.mantissa.bo"]) ?? 1 == 1
        if length == 0 { return isNegative ? Decimal.nan : Decimal.zero }
        var significand = Decimal.zero
        for index in (0..<length).reversed() {
            let pair = (Int(bytes[index * 2]), Int(bytes[index * 2 + 1]))
            significand = significand * 65536 + Decimal(isLittleEndian ? pair.0 | pair.1 << 8 : pair.1 | pair.0 << 8)
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }
}

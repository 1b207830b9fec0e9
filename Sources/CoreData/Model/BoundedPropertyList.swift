import Foundation
import FoundationBackfill

/// Reads property lists from files that nobody vouches for: a store's metadata, what a folder says about its versions.
enum BoundedPropertyList {
    static let maximumDepth = 64
    /// The most values in a list, however often an archive names one and the same.
    private static let maximumValueCount = 1 << 20
    /// The most arrays and dictionaries in a list in XML.
    private static let maximumContainerCount = 1000

    /// The value of a property list, binary or in XML.
    ///
    /// - Throws: NSCocoaErrorDomain 259 for bytes that are no property list, or one beyond the bounds.
    static func value(_ data: Data) throws -> Any {
        data.starts(with: "bplist".utf8) ? try binary(data) : try text(data)
    }

    /// The dictionary that a property list is.
    ///
    /// - Throws: as ``value(_:)``.
    static func dictionary(_ data: Data) throws -> [String: Any] {
        guard let list = try value(data) as? [String: Any] else {
            throw corruptModel("The property list is no dictionary.")
        }
        return list
    }

    private static func binary(_ data: Data) throws -> Any {
        let list = try BinaryPropertyList(data)
        var valuesLeft = maximumValueCount
        return try value(list.top, in: list, depth: 0, &valuesLeft)
    }

    /// Foundation reads property lists in XML by recursion without a bound, so that deep nesting would end the program: the
    /// containers are counted first, nested or not. Core Data itself writes binary ones.
    private static func text(_ data: Data) throws -> Any {
        guard ["<?xml", "<!DOCTYPE", "<plist"].contains(where: { data.starts(with: $0.utf8) }) else {
            throw corruptModel("The bytes are no property list.")
        }
        var containers = 0
        for tag in data.split(separator: UInt8(ascii: "<"))
        where tag.starts(with: "dict".utf8) || tag.starts(with: "array".utf8) {
            containers += 1
            guard containers <= maximumContainerCount else {
                throw corruptModel("The property list has too many containers.")
            }
        }
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    private static func value(
        _ number: Int, in list: BinaryPropertyList, depth: Int, _ valuesLeft: inout Int
    ) throws -> Any {
        valuesLeft -= 1
        guard depth <= maximumDepth, valuesLeft >= 0 else {
            throw corruptModel("The property list is nested too deeply or too large.")
        }
        switch try list.node(number) {
        case .null: return NSNull()
        case .boolean(let value): return value
        case .integer(let value): return Int(value)
        case .real(let value): return value
        case .date(let value): return Date(timeIntervalSinceReferenceDate: value)
        case .data(let value):
            try charge(value.count, &valuesLeft)
            return value
        case .string(let value):
            try charge(value.utf8.count, &valuesLeft)
            return value
        case .uid: throw corruptModel("The property list is a keyed archive.")
        case .array(let members):
            return try members.map { try value($0, in: list, depth: depth + 1, &valuesLeft) }
        case .dictionary(let keys, let values):
            var result: [String: Any] = [:]
            for (key, member) in zip(keys, values) {
                guard case .string(let name) = try list.node(key) else {
                    throw corruptModel("The property list has a key that is no text.")
                }
                result[name] = try value(member, in: list, depth: depth + 1, &valuesLeft)
            }
            return result
        }
    }

    /// Each mention of a long value makes a copy of it.
    private static func charge(_ bytes: Int, _ valuesLeft: inout Int) throws {
        valuesLeft -= bytes / 64
        guard valuesLeft >= 0 else { throw corruptModel("The property list is nested too deeply or too large.") }
    }
}

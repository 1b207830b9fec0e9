import Foundation

/// Texts, numbers and collections of an archive. Each function takes the number of a property-list object, as fields hold it.
extension KeyedArchive {
    /// A text, plain or mutable; nil for null.
    package func string(_ number: Int?) throws(NSError) -> String? {
        guard let number else { return nil }
        switch try element(number) {
        case .null: return nil
        case .plain(.string(let text)): return text
        case .object(let index):
            let object = try object(at: index)
            guard object.className == "NSMutableString" || object.className == "NSString",
                let content = object.fields["NS.string"] ?? object.fields["NS.bytes"]
            else { throw corruptArchive("The archive has an object of class \(object.className) where a text is due.") }
            switch try plist.node(content) {
            case .string(let text): return text
            case .data(let bytes):
                guard let text = String(data: bytes, encoding: .utf8) else { break }
                return text
            default: break
            }
            throw corruptArchive("The archive has a damaged text.")
        case .plain: throw corruptArchive("The archive has another value where a text is due.")
        }
    }

    /// A whole number written in place; nil for null.
    package func integer(_ number: Int?) throws(NSError) -> Int? {
        guard let number else { return nil }
        switch try element(number) {
        case .null: return nil
        case .plain(.integer(let value)): return Int(value)
        case .plain(.boolean(let value)): return value ? 1 : 0
        case .plain(.real(let value)): return Int(exactly: value)
        default: throw corruptArchive("The archive has another value where a number is due.")
        }
    }

    /// A truth value written in place; a field that is left out is false.
    package func boolean(_ number: Int?) throws(NSError) -> Bool {
        try integer(number) ?? 0 != 0
    }

    /// The members of an array or set; nil for null.
    package func list(_ number: Int?) throws(NSError) -> [Int]? {
        guard let number else { return nil }
        switch try element(number) {
        case .null: return nil
        case .plain(.array(let numbers)): return numbers
        case .object(let index):
            let object = try object(at: index)
            guard Self.listClasses.contains(object.className), let content = object.fields["NS.objects"],
                case .array(let numbers) = try plist.node(content)
            else {
                throw corruptArchive("The archive has an object of class \(object.className) where a list is due.")
            }
            return numbers
        default: throw corruptArchive("The archive has another value where a list is due.")
        }
    }

    /// Keys and values of a dictionary, in the archive's order; nil for null.
    package func pairs(_ number: Int?) throws(NSError) -> [(key: Int, value: Int)]? {
        guard let number else { return nil }
        guard case .object(let index) = try element(number) else {
            if case .null = try element(number) { return nil }
            throw corruptArchive("The archive has another value where a dictionary is due.")
        }
        let object = try object(at: index)
        let keys: [Int]
        let values: [Int]
        switch object.className {
        case "NSDictionary", "NSMutableDictionary":
            guard let keyList = object.fields["NS.keys"], let valueList = object.fields["NS.objects"],
                case .array(let keyNumbers) = try plist.node(keyList),
                case .array(let valueNumbers) = try plist.node(valueList)
            else { throw corruptArchive("The archive has a damaged dictionary.") }
            (keys, values) = (keyNumbers, valueNumbers)
        case "NSKnownKeysDictionary1":
            guard let mapping = object.fields["searchMapping"], case .object(let strategy) = try element(mapping),
                let keyNumbers = try list(try self.object(at: strategy).fields["keys"]),
                let valueNumbers = try list(object.fields["values"])
            else { throw corruptArchive("The archive has a damaged dictionary of known keys.") }
            (keys, values) = (keyNumbers, valueNumbers)
        default:
            throw corruptArchive("The archive has an object of class \(object.className) where a dictionary is due.")
        }
        guard keys.count == values.count else { throw corruptArchive("The archive has a damaged dictionary.") }
        return zip(keys, values).map { ($0, $1) }
    }

    /// A dictionary with texts as keys; nil for null. Of equal keys the last counts.
    package func namedValues(_ number: Int?) throws(NSError) -> [(key: String, value: Int)]? {
        guard let pairs = try pairs(number) else { return nil }
        var result: [(key: String, value: Int)] = []
        for pair in pairs {
            guard let key = try string(pair.key) else {
                throw corruptArchive("The archive has a dictionary with a key that is no text.")
            }
            result.append((key, pair.value))
        }
        return result
    }

    /// The index of the object a reference leads to, if it is of one of some classes; nil for null.
    package func objectIndex(_ number: Int?, classes: Set<String>) throws(NSError) -> Int? {
        guard let number else { return nil }
        switch try element(number) {
        case .null: return nil
        case .object(let index):
            let name = try object(at: index).className
            guard classes.contains(name) else {
                throw corruptArchive("The archive has an object of the unexpected class \(name).")
            }
            return index
        case .plain: throw corruptArchive("The archive has a plain value where an object is due.")
        }
    }

    package static let listClasses: Set<String> = [
        "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet",
    ]
}

import Foundation

/// An object of an archive whose class the reader does not know, such as a custom default value. It is kept as it is and
/// written back when the model is archived again; nothing else can be done with it.
package final class OpaqueArchivedObject: NSObject, @unchecked Sendable {
    /// The name of the object's class; empty for a plain value.
    package let className: String

    /// The object (first) and what it refers to; references are indexes into this list.
    let nodes: [PropertyListValue]

    init(className: String, nodes: [PropertyListValue]) {
        self.className = className
        self.nodes = nodes
    }

    /// Equal content, not identity.
    package override func isEqual(_ object: Any?) -> Bool {
        (object as? OpaqueArchivedObject).map { $0.className == className && $0.nodes == nodes } ?? false
    }

    package override var hash: Int { className.hash ^ nodes.count }

    /// Names the class.
    package override var description: String { "<archived object of class \(className)>" }
}

extension KeyedArchive {
    /// Copies an object and all that it refers to. What refers back to the model's own objects cannot be kept.
    ///
    /// - Parameter number: the property-list object, as a field holds it.
    /// - Returns: nil if the object refers to a part of the model.
    func opaqueObject(_ number: Int, budget: inout Int) throws(NSError) -> OpaqueArchivedObject? {
        guard case .uid(let index) = try plist.node(number) else {
            var extraction = OpaqueExtraction(archive: self)
            guard let value = try extraction.copy(number, depth: 0, budget: &budget) else { return nil }
            return try extraction.finish(root: value, className: "", budget: &budget)
        }
        var extraction = OpaqueExtraction(archive: self)
        guard case .object = try element(at: index) else {
            guard case .plain = try element(at: index) else { return nil }
            return try extraction.finish(root: extraction.reference(to: index), className: "", budget: &budget)
        }
        return try extraction.finish(
            root: extraction.reference(to: index), className: object(at: index).className, budget: &budget)
    }
}

/// Collects an object and everything it refers to, with references counted anew.
private struct OpaqueExtraction {
    let archive: KeyedArchive
    private var order: [Int] = []
    private var local: [Int: Int] = [:]

    init(archive: KeyedArchive) {
        self.archive = archive
    }

    /// The new reference for an object of the archive.
    mutating func reference(to index: Int) -> PropertyListValue {
        if let known = local[index] { return .uid(known) }
        // The first place is the root's.
        let number = order.count + 1
        local[index] = number
        order.append(index)
        return .uid(number)
    }

    mutating func finish(
        root: PropertyListValue, className: String, budget: inout Int
    ) throws(NSError) -> OpaqueArchivedObject? {
        var nodes = [root]
        var position = 0
        while position < order.count {
            guard let number = archive.propertyListNumber(at: order[position]),
                let value = try copy(number, depth: 0, budget: &budget)
            else { return nil }
            if case .dictionary(let pairs) = value, try archive.isPartOfModel(pairs, at: order[position]) { return nil }
            nodes.append(value)
            position += 1
        }
        return OpaqueArchivedObject(className: className, nodes: nodes)
    }

    mutating func copy(_ number: Int, depth: Int, budget: inout Int) throws(NSError) -> PropertyListValue? {
        budget -= 1
        guard budget >= 0, depth <= ModelFileLimit.depth else {
            throw corruptModel("The archive's unknown objects are beyond the bounds.")
        }
        switch try archive.plist.node(number) {
        case .null: return .null
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .date(let value): return .date(value)
        case .data(let value): return .data(value)
        case .string(let value): return .string(value)
        case .uid(let index):
            if case .null = try archive.element(at: index) { return .null }
            return reference(to: index)
        case .array(let numbers):
            var values: [PropertyListValue] = []
            for number in numbers {
                guard let value = try copy(number, depth: depth + 1, budget: &budget) else { return nil }
                values.append(value)
            }
            return .array(values)
        case .dictionary(let keys, let values):
            var pairs: [(key: String, value: PropertyListValue)] = []
            for (key, value) in zip(keys, values) {
                guard case .string(let name) = try archive.plist.node(key),
                    let copied = try copy(value, depth: depth + 1, budget: &budget)
                else { return nil }
                pairs.append((name, copied))
            }
            return .dictionary(pairs)
        }
    }
}

extension KeyedArchive {
    fileprivate func isPartOfModel(
        _ pairs: [(key: String, value: PropertyListValue)], at index: Int
    ) throws(NSError) -> Bool {
        guard pairs.contains(where: { $0.key == "$class" }) else { return false }
        return ModelArchiveReader.modelClasses.contains(try object(at: index).className)
    }
}

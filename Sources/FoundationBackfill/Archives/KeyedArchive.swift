import Foundation

/// A keyed archive, read by reference: nothing is instantiated from a class name in the file.
package final class KeyedArchive {
    /// An archived object: its class and the fields, each the number of a property-list object.
    package struct Object {
        package let className: String
        package let fields: [String: Int]
    }

    /// What a reference leads to.
    package enum Element {
        case null
        /// A value without a class, such as a text or number.
        case plain(BinaryPropertyList.Node)
        /// An object by its index in the archive.
        case object(Int)
    }

    package let plist: BinaryPropertyList
    /// The property-list object of each archived object.
    private let objects: [Int]
    /// The root object's index.
    package let root: Int
    /// The property-list object that refers to the root object.
    let rootReference: Int
    private var cache: [Int: Object] = [:]

    /// Reads the frame of an archive.
    ///
    /// - Throws: NSCocoaErrorDomain 259 if the data is no keyed archive.
    package init(_ data: Data) throws(NSError) {
        plist = try BinaryPropertyList(data)
        let top = try Self.stringKeys(of: plist.top, in: plist)
        guard let archiver = top["$archiver"], case .string("NSKeyedArchiver") = try plist.node(archiver),
            let list = top["$objects"], case .array(let objects) = try plist.node(list), !objects.isEmpty,
            let roots = top["$top"], let root = try Self.stringKeys(of: roots, in: plist)["root"],
            case .uid(let rootIndex) = try plist.node(root), rootIndex < objects.count
        else { throw corruptArchive("The file is no keyed archive with a root object.") }
        self.objects = objects
        self.root = rootIndex
        rootReference = root
    }

    /// Follows a reference, given as the number of a property-list object.
    package func element(_ number: Int) throws(NSError) -> Element {
        let node = try plist.node(number)
        guard case .uid(let index) = node else {
            if case .null = node { return .null }
            return .plain(node)
        }
        return try element(at: index)
    }

    /// An archived object, or plain value, by its index.
    package func element(at index: Int) throws(NSError) -> Element {
        guard index >= 0, index < objects.count else {
            throw corruptArchive("The archive has no object \(index).")
        }
        let node = try plist.node(objects[index])
        switch node {
        case .string("$null") where index == 0: return .null
        case .null: return .null
        case .dictionary: return .object(index)
        case .uid: throw corruptArchive("Object \(index) of the archive is only a reference.")
        default: return .plain(node)
        }
    }

    /// The property-list object of an archived object; nil if there is none.
    package func propertyListNumber(at index: Int) -> Int? {
        objects.indices.contains(index) ? objects[index] : nil
    }

    /// Class and fields of an archived object.
    package func object(at index: Int) throws(NSError) -> Object {
        if let object = cache[index] { return object }
        guard index >= 0, index < objects.count else {
            throw corruptArchive("The archive has no object \(index).")
        }
        var fields = try Self.stringKeys(of: objects[index], in: plist)
        guard let classNumber = fields.removeValue(forKey: "$class"),
            case .uid(let classIndex) = try plist.node(classNumber)
        else { throw corruptArchive("Object \(index) of the archive has no class.") }
        let object = Object(className: try className(at: classIndex), fields: fields)
        cache[index] = object
        return object
    }

    /// The names of all classes that objects of the archive have.
    package func allClassNames() throws(NSError) -> Set<String> {
        var names: Set<String> = []
        for index in objects.indices {
            guard case .dictionary = try plist.node(objects[index]) else { continue }
            let fields = try Self.stringKeys(of: objects[index], in: plist)
            guard let number = fields["$class"] else { continue }
            guard case .uid(let classIndex) = try plist.node(number) else {
                throw corruptArchive("Object \(index) of the archive has no class.")
            }
            names.insert(try className(at: classIndex))
        }
        return names
    }

    /// The superclass names of the class of an archived object, the class itself first.
    package func classNames(ofObjectAt index: Int) throws(NSError) -> [String] {
        let fields = try Self.stringKeys(of: objects[index], in: plist)
        guard let number = fields["$class"], case .uid(let classIndex) = try plist.node(number),
            classIndex < objects.count,
            let list = try Self.stringKeys(of: objects[classIndex], in: plist)["$classes"],
            case .array(let numbers) = try plist.node(list)
        else { return [try object(at: index).className, "NSObject"] }
        var names: [String] = []
        for number in numbers {
            if case .string(let name) = try plist.node(number) { names.append(name) }
        }
        return names
    }

    private func className(at index: Int) throws(NSError) -> String {
        guard index >= 0, index < objects.count,
            let number = try Self.stringKeys(of: objects[index], in: plist)["$classname"],
            case .string(let name) = try plist.node(number)
        else { throw corruptArchive("The archive names a class that it does not describe.") }
        return name
    }

    private static func stringKeys(of number: Int, in plist: BinaryPropertyList) throws(NSError) -> [String: Int] {
        guard case .dictionary(let keys, let values) = try plist.node(number) else {
            throw corruptArchive("Object \(number) of the property list is no dictionary.")
        }
        var result: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = try plist.node(key) else {
                throw corruptArchive("Object \(number) of the property list has a key that is no text.")
            }
            result[name] = value
        }
        return result
    }
}

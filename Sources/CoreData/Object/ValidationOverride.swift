import Foundation

/// Whether a class has validation rules of its own, that is, overrides `validateValue(_:forKey:)`.
///
/// Saving asks about every property of every changed object. Where nobody overrides the method the model's rules are checked
/// without boxing a value or looking up a name, which makes an insert about a tenth cheaper; so it is worth knowing. Swift has no
/// way to ask, but a class' table of methods has one entry for it: where two probes that differ in this one override differ too.
/// Where the place cannot be told without doubt every class counts as overriding.
enum ValidationOverride {
    private class Plain: NSManagedObject {}

    private class Overriding: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            value = nil
            try super.validateValue(&value, forKey: key)
        }
    }

    @inline(__always)
    static func exists(in type: NSManagedObject.Type) -> Bool {
        guard let place else { return true }
        return words(type)[place] != words(NSManagedObject.self)[place]
    }

    private static func words(_ type: NSManagedObject.Type) -> UnsafePointer<UInt> {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    }

    /// The index of the method's entry, counted in words from the class' address.
    private static let place: Int? = {
        let base = words(NSManagedObject.self)
        let plain = words(Plain.self)
        let overriding = words(Overriding.self)
        // Behind the first words stand the class' size and where in it the address points.
        let sizes = UnsafeRawPointer(base).load(fromByteOffset: 4 * MemoryLayout<UInt>.size, as: (UInt32, UInt32).self)
        let count = (Int(sizes.0) - Int(sizes.1)) / MemoryLayout<UInt>.size
        guard MemoryLayout<UInt>.size == 8, count > headerWords, count < 4096 else { return nil }
        let places = (headerWords..<count).filter { base[$0] == plain[$0] && base[$0] != overriding[$0] }
        return places.count == 1 ? places[0] : nil
    }()

    /// Kind, superclass, flags, sizes, descriptor and destroyer.
    private static var headerWords: Int { 7 }
}

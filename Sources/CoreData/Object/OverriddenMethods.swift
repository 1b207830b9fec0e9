import Foundation

/// Which of the methods that saving calls for every object a class overrides.
///
/// Where nobody does, a save need not go through its objects once more only to call a method that does nothing, nor box each value
/// and look up each name to have it checked; so it is worth knowing. Swift has no way to ask, but a class' table of methods has one
/// entry for each: where two probes that differ in one override differ too. A method whose place cannot be told without doubt counts
/// as overridden by every class.
struct OverriddenMethods: OptionSet {
    let rawValue: UInt8

    static let validateValue = OverriddenMethods(rawValue: 1 << 0)
    static let validateForInsert = OverriddenMethods(rawValue: 1 << 1)
    static let validateForUpdate = OverriddenMethods(rawValue: 1 << 2)
    static let validateForDelete = OverriddenMethods(rawValue: 1 << 3)
    static let willSave = OverriddenMethods(rawValue: 1 << 4)
    static let didSave = OverriddenMethods(rawValue: 1 << 5)

    static let anyValidation: OverriddenMethods = [
        .validateValue, .validateForInsert, .validateForUpdate, .validateForDelete,
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the class, or one between it and `NSManagedObject`, overrides.
    init(of type: NSManagedObject.Type) {
        self = []
        let base = Self.words(NSManagedObject.self)
        let words = Self.words(type)
        for (method, place) in Self.places {
            guard let place, words[place] == base[place] else {
                insert(method)
                continue
            }
        }
        if ValueRules.shared.exist(for: type) { insert(.validateValue) }
    }

    /// Whether the class has rules of its own for single values: an override, or methods `validateName(_:)`.
    @inline(__always)
    static func hasOwnValueRules(_ type: NSManagedObject.Type) -> Bool {
        guard let validateValuePlace else { return true }
        return words(type)[validateValuePlace] != words(NSManagedObject.self)[validateValuePlace]
            || ValueRules.shared.exist(for: type)
    }

    // MARK: Tables of methods

    private static func words(_ type: NSManagedObject.Type) -> UnsafePointer<UInt> {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    }

    private static let validateValuePlace = place(ValidatesValue.self)
    private static let places: [(OverriddenMethods, Int?)] = [
        (.validateValue, validateValuePlace), (.validateForInsert, place(ValidatesForInsert.self)),
        (.validateForUpdate, place(ValidatesForUpdate.self)), (.validateForDelete, place(ValidatesForDelete.self)),
        (.willSave, place(WillSave.self)), (.didSave, place(DidSave.self)),
    ]

    /// The index of the entry in which a probe differs, counted in words from the class' address.
    private static func place(_ probe: NSManagedObject.Type) -> Int? {
        let base = words(NSManagedObject.self)
        let plain = words(Plain.self)
        let overriding = words(probe)
        // Behind the first words stand the class' size and where in it the address points.
        let sizes = UnsafeRawPointer(base).load(fromByteOffset: 4 * MemoryLayout<UInt>.size, as: (UInt32, UInt32).self)
        let count = (Int(sizes.0) - Int(sizes.1)) / MemoryLayout<UInt>.size
        guard MemoryLayout<UInt>.size == 8, count > headerWords, count < 4096 else { return nil }
        let places = (headerWords..<count).filter { base[$0] == plain[$0] && base[$0] != overriding[$0] }
        return places.count == 1 ? places[0] : nil
    }

    /// Kind, superclass, flags, sizes, descriptor and destroyer.
    private static var headerWords: Int { 7 }

    // MARK: Probes
    // Each does something, so that no linker takes it for the method it overrides.

    private class Plain: NSManagedObject {}

    private class ValidatesValue: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            value = nil
            try super.validateValue(&value, forKey: key)
        }
    }

    private class ValidatesForInsert: NSManagedObject {
        override func validateForInsert() throws {
            textsRead = 1
            try super.validateForInsert()
        }
    }

    private class ValidatesForUpdate: NSManagedObject {
        override func validateForUpdate() throws {
            textsRead = 2
            try super.validateForUpdate()
        }
    }

    private class ValidatesForDelete: NSManagedObject {
        override func validateForDelete() throws {
            textsRead = 3
            try super.validateForDelete()
        }
    }

    private class WillSave: NSManagedObject {
        override func willSave() {
            textsRead = 4
            super.willSave()
        }
    }

    private class DidSave: NSManagedObject {
        override func didSave() {
            textsRead = 5
            super.didSave()
        }
    }
}

import Foundation

/// Turns keyed archives into objects and back, for classes of an allow-list only.
///
/// `transformedValue(_:)` unarchives and `reverseTransformedValue(_:)` archives; Core Data calls the latter to store a
/// value. A subclass widens the list:
///
///     override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Colour.self] }
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archive may hold: Foundation's property-list classes and a few more, unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object of a keyed archive; nil for nil, for anything but data, and for an archive that cannot be read or holds
    /// a class that is not allowed.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        return try? SecureUnarchiver.object(data, classes: Swift.type(of: self).allowedTopLevelClasses)
    }

    /// The keyed archive of an object; nil for nil and for an object that cannot be archived (on Linux, one with
    /// decimals in it too).
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        archive(value, requiringSecureCoding: true)
    }
}

/// `NSKeyedUnarchiveFromData`: archives of any class when written.
///
/// What is read is held to the allow-list all the same: an archive comes from a file.
final class KeyedUnarchiveFromDataTransformer: NSSecureUnarchiveFromDataTransformer {
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        archive(value, requiringSecureCoding: false)
    }
}

/// Reads keyed archives of allowed classes.
private enum SecureUnarchiver {
    /// The root object of an archive.
    ///
    /// Linux's `NSKeyedUnarchiver` stops the program when it meets another class or a damaged object, so all classes are
    /// checked before, and archives of Foundation's values are not given to it at all.
    static func object(_ data: Data, classes: [AnyClass]) throws -> Any? {
        let archive = try KeyedArchive(data)
        for name in try archive.allClassNames() {
            guard let type: AnyClass = NSClassFromString(name), isAllowed(type, classes) else {
                throw CocoaError(.coderReadCorrupt)
            }
        }
        var usesOtherClasses = false
        var reader = ArchivedValueReader(archive: archive) { _, _, _ throws(NSError) in
            usesOtherClasses = true
            return nil
        }
        let value = try reader.root()
        guard usesOtherClasses else { return value }
        return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    }

    private static func isAllowed(_ type: AnyClass, _ classes: [AnyClass]) -> Bool {
        var current: AnyClass? = type
        while let candidate = current {
            if classes.contains(where: { $0 == candidate }) { return true }
            current = _getSuperclass(candidate)
        }
        return false
    }
}

/// The keyed archive of a value. Swift's collections are archived as Foundation's.
private func archive(_ value: Any?, requiringSecureCoding: Bool) -> Data? {
    guard let object = unwrapped(value).flatMap({ $0 as? NSObject }), object is any NSCoding,
        !requiringSecureCoding || object is any NSSecureCoding, !holdsDecimals(object)
    else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: requiringSecureCoding)
}

/// Linux's archiver never ends on a decimal.
private func holdsDecimals(_ object: Any) -> Bool {
    switch object {
    case is Decimal, is NSDecimalNumber: true
    case let dictionary as NSDictionary: dictionary.contains { holdsDecimals($0.key) || holdsDecimals($0.value) }
    default: collectionElements(object)?.contains(where: holdsDecimals) ?? false
    }
}

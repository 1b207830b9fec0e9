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
        return try? NSKeyedUnarchiver.unarchivedObject(
            ofClasses: Swift.type(of: self).allowedTopLevelClasses, from: data)
    }

    /// The keyed archive of an object; nil for nil and for an object that cannot be archived.
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

/// The keyed archive of a value. Swift's collections are archived as Foundation's.
private func archive(_ value: Any?, requiringSecureCoding: Bool) -> Data? {
    guard let value = unwrapped(value), !(value is NSNull), let object = value as? NSObject else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: requiringSecureCoding)
}

/// The types of Swift, Foundation and Core Data that a property may have. Foundation's are not all in the module of that name.
enum KnownTypes {
    static let nominals: [String: KnownType.Nominal] = {
        var known: [String: KnownType.Nominal] = [:]
        for (module, kind, names) in table {
            for name in names.split(separator: " ") {
                known[String(name)] = KnownType.Nominal(module, String(name), kind)
            }
        }
        known["NSRange"] = KnownType.Nominal("Foundation", "_NSRange", .struct)
        return known
    }()

    /// Other names of types.
    static let aliases: [String: KnownType] = [
        "TimeInterval": .nominal(KnownType.Nominal("Swift", "Double", .struct)),
        "Float64": .nominal(KnownType.Nominal("Swift", "Double", .struct)),
        "Float32": .nominal(KnownType.Nominal("Swift", "Float", .struct)),
        "NSInteger": .nominal(KnownType.Nominal("Swift", "Int", .struct)),
        "Any": .any, "AnyObject": .anyObject,
    ]

    /// How many type arguments they take.
    static let generics: [String: Int] = [
        "Array": 1, "Set": 1, "Dictionary": 2, "Range": 1, "ClosedRange": 1, "ContiguousArray": 1, "ArraySlice": 1,
        "Measurement": 1, "KeyValuePairs": 2, "SIMD2": 1, "SIMD3": 1, "SIMD4": 1,
    ]

    /// Modules whose names may stand before these types' names.
    static let modules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "CoreData", "FoundationBackfill", "CoreFoundation",
        "CoreGraphics",
    ]

    private static let table: [(String, KnownType.Nominal.Kind, String)] = [
        (
            "Swift", .struct,
            "String Substring Character Bool Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Float Double Array Set "
                + "Dictionary Range ClosedRange ContiguousArray ArraySlice KeyValuePairs SIMD2 SIMD3 SIMD4 AnyHashable "
                + "Duration ObjectIdentifier StaticString"
        ),
        ("Swift", .protocol, "Error CustomStringConvertible"),
        (
            "FoundationEssentials", .struct,
            "Date Data UUID URL Decimal Locale TimeZone Calendar DateComponents DateInterval IndexPath URLComponents "
                + "URLQueryItem AttributedString"
        ),
        ("FoundationEssentials", .enum, "ComparisonResult"),
        ("FoundationEssentials", .protocol, "LocalizedError"),
        (
            "Foundation", .struct,
            "CGFloat CGPoint CGRect CGSize CharacterSet IndexSet Measurement Notification PersonNameComponents"
        ),
        (
            "Foundation", .class,
            "NSObject NSNumber NSDecimalNumber NSValue NSNull NSString NSMutableString NSAttributedString "
                + "NSMutableAttributedString NSDate NSData NSMutableData NSURL NSUUID NSSet NSMutableSet NSCountedSet "
                + "NSOrderedSet NSMutableOrderedSet NSArray NSMutableArray NSDictionary NSMutableDictionary NSIndexSet "
                + "NSMutableIndexSet NSIndexPath NSError NSLocale NSTimeZone NSCalendar NSDateComponents NSDateInterval "
                + "NSCharacterSet NSMeasurement NSPersonNameComponents NSNotification NSPredicate NSSortDescriptor "
                + "NSRegularExpression Unit Dimension UnitArea UnitDuration UnitEnergy UnitLength UnitMass UnitSpeed "
                + "UnitTemperature UnitVolume Bundle Operation Progress UserDefaults"
        ),
        ("Foundation", .protocol, "NSCoding NSSecureCoding NSCopying NSMutableCopying NSObjectProtocol"),
        ("FoundationBackfill", .class, "ValueTransformer"),
        ("FoundationBackfill", .struct, "Selector"),
        (
            "CoreData", .class,
            "NSManagedObject NSManagedObjectID NSManagedObjectContext NSManagedObjectModel NSEntityDescription "
                + "NSPersistentStore"
        ),
        ("CoreData", .protocol, "NSFetchRequestResult"),
    ]
}

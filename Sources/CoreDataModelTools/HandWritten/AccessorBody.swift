/// How an accessor of a type gets at the object's value, through the framework's typed accessors where they are sure to take it.
struct AccessorBody {
    /// The expression that a getter returns.
    let getter: String
    /// The statement of a setter, whose new value is called `value`.
    let setter: String

    /// - Parameter property: how the code calls the property's description.
    init(_ type: KnownType, _ property: String, isPrimitive: Bool) {
        let set = isPrimitive ? "_setPrimitive" : "_set"
        let setAny = isPrimitive ? "_setPrimitive" : "_setValue"
        switch type {
        case .nominal(let nominal) where nominal.module == "Swift" && Self.integers.contains(nominal.name):
            getter = "\(nominal.name)(truncatingIfNeeded: _get(\(property)) as Int64)"
            setter = "\(set)(\(property), Int64(truncatingIfNeeded: value))"
        case .nominal(let nominal) where nominal.module == "Foundation" && nominal.name == "CGFloat":
            getter = "CGFloat(_get(\(property)) as Double)"
            setter = "\(set)(\(property), Double(value))"
        case _ where Self.isRead(type):
            getter = "_get(\(property))"
            setter = "\(set)(\(property), value)"
        case .optional(let inner):
            let isTyped = Self.isReadAsOptional(inner)
            getter = "\(isTyped ? "_get" : "_getValue")(\(property))"
            setter = "\(isTyped ? set : setAny)(\(property), value)"
        default:
            let isTyped = Self.isReadAsOptional(type)
            getter = "_require(\(property), \(isTyped ? "_get" : "_getValue")(\(property)))"
            setter = "\(isTyped ? set : setAny)(\(property), value)"
        }
    }

    private static let integers: Set<String> = ["Int8", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]

    /// Types that are read as they are, and have a value for nil.
    private static func isRead(_ type: KnownType) -> Bool {
        switch type {
        case .nominal(let nominal):
            switch nominal.module {
            case "Swift":
                ["Int", "Int16", "Int32", "Int64", "Bool", "Double", "Float", "String"].contains(nominal.name)
            case "FoundationEssentials": ["Date", "Data", "Decimal"].contains(nominal.name)
            default: false
            }
        case .generic(let nominal, let arguments): isSetOfObjects(nominal, arguments)
        case .optional, .any, .anyObject: false
        }
    }

    private static func isReadAsOptional(_ type: KnownType) -> Bool {
        switch type {
        case .nominal(let nominal):
            switch nominal.module {
            case "Swift": nominal.name == "String"
            case "FoundationEssentials": ["Date", "Data", "Decimal", "UUID", "URL"].contains(nominal.name)
            case "Foundation": ["NSNumber", "NSDecimalNumber", "NSSet", "NSOrderedSet"].contains(nominal.name)
            case "FoundationBackfill": false
            default: nominal.kind != .protocol
            }
        case .generic(let nominal, let arguments): isSetOfObjects(nominal, arguments)
        case .optional, .any, .anyObject: false
        }
    }

    /// A set of objects of classes that the sources declare, or of `NSManagedObject`.
    private static func isSetOfObjects(_ nominal: KnownType.Nominal, _ arguments: [KnownType]) -> Bool {
        guard nominal.name == "Set", case .nominal(let element)? = arguments.first, element.kind == .class else {
            return false
        }
        return element.module == "CoreData" ? element.name == "NSManagedObject" : element.module != "Foundation"
    }
}

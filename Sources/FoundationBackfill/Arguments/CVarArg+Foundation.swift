import Foundation

// Arguments of `NSPredicate(format:)` are taken as the Swift values they are. The encoding is for C functions only, which
// get a pointer to the object; Swift's own argument list keeps the object of a `_CVarArgObject` alive for the call.

extension NSObject: @retroactive CVarArg {
    /// A pointer to the object, for `%@`.
    public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

/// Swift's argument list asks for `_cVarArgObject` instead and keeps that object; a pointer given out here would dangle.
private func encodingOfObject() -> [Int] {
    programmerError("_cVarArgEncoding must be read from the value's _cVarArgObject")
}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSDate }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSUUID }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSData }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { self as NSURL }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSDecimalNumber(decimal: self) }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSArray(array: self) }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSSet(set: self) }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg {
        let dictionary = NSMutableDictionary()
        for (key, value) in self { dictionary[key] = value }
        return dictionary
    }
    public var _cVarArgEncoding: [Int] { encodingOfObject() }
}

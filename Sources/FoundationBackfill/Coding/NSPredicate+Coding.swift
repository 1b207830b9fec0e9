import Foundation

// Linux's Foundation declares these classes without coding. A protocol's initialiser can be `init(coder:)` of classes that are not
// final, and may return one of our subclasses.
extension NSPredicate: @retroactive NSSecureCoding {
    /// Predicates may be in archives that require secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the predicate's format. One that the format language cannot express (a block, a constant that is an object of a
    /// program's own) stops the program, as the exception does on Apple's platforms.
    public func encode(with coder: NSCoder) {
        let text = formatText
        guard let again = try? NSPredicate.parse(format: text), again.isSame(as: reduced) else {
            programmerError("The predicate \(text) cannot be archived: its format does not say all of it")
        }
        coder.encode(text as NSString, forKey: FormatCoding.key)
    }
}

extension NSPredicate {
    /// What the format says: a compound of one member is that member, one of none a constant.
    private var reduced: NSPredicate {
        guard case .compound(let type, let members) = form else { return self }
        if type != .not, members.count == 1 { return members[0].reduced }
        if type != .not, members.isEmpty { return NSPredicate(value: type == .and) }
        return NSPredicate.compound(type, members.map(\.reduced))
    }
}

extension NSCoding where Self: NSPredicate {
    /// Reads a predicate that was archived. A format that cannot be read fails with `CocoaError.coderReadCorrupt`.
    public init?(coder: NSCoder) {
        guard var predicate = FormatCoding.decode(coder, NSPredicate.parse) else { return nil }
        if Self.self is NSCompoundPredicate.Type, !(predicate is NSCompoundPredicate) {
            // The format of a compound with one member is that of the member.
            predicate = NSPredicate.compound(.and, [predicate])
        }
        guard let result = predicate as? Self else {
            coder.refuse("The archive holds no \(Self.self).")
            return nil
        }
        self = result
    }
}

extension NSExpression: NSSecureCoding {
    /// Expressions may be in archives that require secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the expression in the format language. One that it cannot express stops the program.
    public func encode(with coder: NSCoder) {
        let text = FormatText.text(of: self)
        guard let again = try? NSExpression.parse(format: text), again == self else {
            programmerError("The expression \(text) cannot be archived: its format does not say all of it")
        }
        coder.encode(text as NSString, forKey: FormatCoding.key)
    }
}

extension NSCoding where Self: NSExpression {
    /// Reads an expression that was archived. A format that cannot be read fails with `CocoaError.coderReadCorrupt`.
    public init?(coder: NSCoder) {
        guard let expression = FormatCoding.decode(coder, NSExpression.parse) else { return nil }
        guard let result = expression as? Self else {
            coder.refuse("The archive holds no \(Self.self).")
            return nil
        }
        self = result
    }
}

/// The form in which predicates and expressions are archived: their text, which the bounded parser reads.
private enum FormatCoding {
    static let key = "NS.format"

    static func decode<T>(_ coder: NSCoder, _ parse: (String, [Any]) throws -> T) -> T? {
        guard let text = coder.decodeObject(of: NSString.self, forKey: key) else {
            coder.refuse("The archive holds no format.")
            return nil
        }
        do {
            return try parse(text as String, [])
        } catch {
            coder.refuse("\(error)")
            return nil
        }
    }
}

extension NSCoder {
    /// Fails the decoding with a reason.
    func refuse(_ reason: String) {
        failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason]))
    }
}

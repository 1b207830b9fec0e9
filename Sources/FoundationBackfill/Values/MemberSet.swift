import Foundation

/// The members of a collection, ready to be asked whether a value is one of them.
///
/// Texts, whole numbers, UUIDs and records are looked up by hash, so that `id IN {ten thousand ids}` does not compare ten
/// thousand times; everything else is compared one by one. The answers are those of ``ComparableValue/isEqual(to:)``.
struct MemberSet {
    private var texts: Set<ExactText> = []
    private var integers: Set<Int64> = []
    private var uuids: Set<UUID> = []
    private var identities: Set<AnyHashable> = []
    private var others: [ComparableValue] = []
    private var all: [ComparableValue] = []
    private let options: NSComparisonPredicate.Options

    init(_ members: [Any], options: NSComparisonPredicate.Options = []) {
        self.options = options
        for member in members { insert(member) }
    }

    mutating func insert(_ member: Any) {
        let value = ComparableValue(member)
        all.append(value)
        switch value {
        case .text(let text): texts.insert(ExactText(StringFolding.fold(text, options: options)))
        case .integer(let integer): integers.insert(integer)
        case .identity(let identity): identities.insert(identity)
        case .uuid(let uuid): uuids.insert(uuid)
        default: others.append(value)
        }
    }

    func contains(_ member: Any?) -> Bool { contains(ComparableValue(member)) }

    func contains(_ value: ComparableValue) -> Bool {
        switch value {
        case .text(let text):
            if texts.contains(ExactText(StringFolding.fold(text, options: options))) { return true }
            if integers.isEmpty && uuids.isEmpty && others.isEmpty { return false }
            // Texts are done; a member of another kind may be equal when turned into a text.
            return all.contains { member in
                if case .text = member { false } else { value.isEqual(to: member) }
            }
        case .integer(let integer):
            if integers.contains(integer) { return true }
            return (!texts.isEmpty || !others.isEmpty) && all.contains { value.isEqual(to: $0) }
        case .identity(let identity):
            return identities.contains(identity)
        case .uuid(let uuid):
            return uuids.contains(uuid) || !texts.isEmpty && all.contains { value.isEqual(to: $0) }
        case .null:
            return others.contains { $0.isNull }
        default:
            return all.contains { value.isEqual(to: $0) }
        }
    }
}

/// The members of a constant collection, made ready when they are first asked for: a predicate meant for a store never
/// does.
final class ConstantMembers: @unchecked Sendable {
    /// From so many members on, looking up by hash is worth while.
    private static let threshold = 8

    private let members: [Any]
    private let options: NSComparisonPredicate.Options
    private let lock = NSLock()
    private var set: MemberSet?

    /// Nil for anything but a collection of some size, and where the locale decides what is equal.
    init?(_ value: ComparableValue, options: NSComparisonPredicate.Options) {
        guard case .collection(let members, _) = value, members.count >= Self.threshold,
            !options.contains(.localeSensitive)
        else { return nil }
        self.members = members
        self.options = options
    }

    func contains(_ value: ComparableValue) -> Bool {
        lock.lock()
        let set: MemberSet
        if let known = self.set {
            set = known
        } else {
            set = MemberSet(members, options: options)
            self.set = set
        }
        lock.unlock()
        return set.contains(value)
    }
}

import Foundation

/// The members of a collection, ready to be asked whether a value is one of them.
///
/// Texts and whole numbers are looked up by hash, so that `id IN {ten thousand ids}` does not compare ten thousand times;
/// everything else is compared one by one.
struct MemberSet {
    private var texts: Set<String> = []
    private var integers: Set<Int64> = []
    private var identities: Set<AnyHashable> = []
    private var uuids: Set<UUID> = []
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
        // Swift's equality of texts is canonical equivalence: looked up here, checked code by code when asked.
        case .text(let text): texts.insert(StringFolding.fold(text, options: options))
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
            let folded = StringFolding.fold(text, options: options)
            if let index = texts.firstIndex(of: folded), texts[index].utf8.elementsEqual(folded.utf8) { return true }
            return containsSlowly(value, skippingTexts: true)
        case .integer(let integer):
            if integers.contains(integer) { return true }
            guard !texts.isEmpty || !others.isEmpty else { return false }
            return containsSlowly(value, skippingTexts: false)
        case .identity(let identity):
            return identities.contains(identity)
        case .uuid(let uuid):
            if uuids.contains(uuid) { return true }
            return !texts.isEmpty && containsSlowly(value, skippingTexts: false)
        default:
            return containsSlowly(value, skippingTexts: false)
        }
    }

    private func containsSlowly(_ value: ComparableValue, skippingTexts: Bool) -> Bool {
        if skippingTexts, integers.isEmpty, uuids.isEmpty, others.isEmpty { return false }
        return all.contains { member in
            if case .text = member, skippingTexts { return false }
            return value.isEqual(to: member)
        }
    }
}

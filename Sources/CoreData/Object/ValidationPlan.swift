import Foundation

/// The rules of an entity's properties, worked out once: properties without a rule cost nothing when objects are validated.
final class ValidationPlan: @unchecked Sendable {
    /// A rule of an attribute, or of an element of a composite.
    struct AttributeRule {
        let slot: Int
        let attribute: NSAttributeDescription
        /// Name, or dotted path of a composite's element.
        let path: String
        let predicates: [(predicate: NSPredicate, warning: Any?)]

        init(_ slot: Int, _ attribute: NSAttributeDescription, path: String) {
            self.slot = slot
            self.attribute = attribute
            self.path = path
            let warnings = attribute.validationWarnings
            predicates = attribute.validationPredicates.enumerated().map { index, predicate in
                (predicate, index < warnings.count ? warnings[index] : nil)
            }
        }
    }

    let attributes: [AttributeRule]
    let relationships: [PropertyEntry]
    /// All properties that `validateValue(_:forKey:)` is asked about where a class overrides it.
    let all: [PropertyEntry]
    /// Whether every value and every number of members is valid.
    let allowsEverything: Bool

    init(_ layout: SlotLayout) {
        var attributes: [AttributeRule] = []
        for (index, slot) in layout.slots.enumerated() {
            guard let attribute = slot.property as? NSAttributeDescription else { continue }
            if !attribute.isOptional || !attribute.validationPredicates.isEmpty {
                attributes.append(AttributeRule(index, attribute, path: slot.path))
            }
        }
        self.attributes = attributes
        relationships = layout.entries.filter { $0.relationship != nil }
        allowsEverything =
            attributes.isEmpty
            && relationships.compactMap(\.relationship).allSatisfy {
                $0.isOptional && $0.minCount == 0 && (!$0.isToMany || $0.maxCount == 0)
            }
        all = layout.entries.filter { !($0.property is NSFetchedPropertyDescription) }
    }
}

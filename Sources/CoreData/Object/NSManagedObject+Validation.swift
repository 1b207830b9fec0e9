import Foundation
import FoundationBackfill

extension NSManagedObject {
    /// Runs `validateForInsert`, `validateForUpdate` or `validateForDelete` and returns all failures, flat.
    func validationErrors(for fate: Fate) -> [NSError] {
        do {
            switch fate {
            case .insert: try validateForInsert()
            case .update: try validateForUpdate()
            case .delete: try validateForDelete()
            }
            return []
        } catch {
            return ValidationFailure.flat(error)
        }
    }

    // MARK: All properties

    /// Checks every property against the model's rules; classes with rules of their own are asked about each value.
    func validateProperties() throws {
        if OverriddenMethods.hasOwnValueRules(type(of: self)) {
            try validateEachValue()
            return
        }
        fireIfFault()
        var errors: [NSError] = []
        let plan = traits.validation
        for rule in plan.attributes { check(rule, value(at: rule.slot), &errors) }
        if !plan.relationships.isEmpty {
            let context = link.context
            for entry in plan.relationships { checkPresent(entry, context, &errors) }
        }
        if !errors.isEmpty { try ValidationFailure.throwAll(errors) }
    }

    private func validateEachValue() throws {
        fireIfFault()
        var errors: [NSError] = []
        let context = link.context
        for entry in traits.validation.all {
            // Members that did not change are not loaded to be checked.
            if case .toMany(let index) = entry.place, !isWorthChecking(index, entry) { continue }
            let before = readValue(entry)
            var value = before
            do {
                try validateValue(&value, forKey: entry.name)
                if !Self.isSame(before, value) { setValue(value, forKey: entry.name) }
            } catch {
                errors += ValidationFailure.flat(error)
            }
            if entry.relationship != nil { checkDangling(entry, context, &errors) }
        }
        try ValidationFailure.throwAll(errors)
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left as NSManagedObject, let right as NSManagedObject): left === right
        case (let left as String, let right as String): ExactText(left) == ExactText(right)
        case (let left as AnyHashable, let right as AnyHashable): left == right
        case (let left as NSObject, let right as NSObject): left.isEqual(right)
        default: false
        }
    }

    // MARK: One value

    /// Checks a value for a property against the model's rules.
    func checkValue(_ value: Any?, _ key: String) throws {
        guard let entry = layout.entry(named: key) else { return }
        let value = unwrapped(value)
        var errors: [NSError] = []
        switch entry.place {
        case .attribute(let slot):
            guard let attribute = entry.attribute else { return }
            let rule = ValidationPlan.AttributeRule(slot, attribute, path: entry.name)
            check(rule, value.map { SlotValue($0, kind: traits.kinds[slot]) ?? .any(AnyValue($0)) } ?? .null, &errors)
        case .composite(let elements):
            let dictionary = value as? [String: Any] ?? [:]
            for rule in traits.validation.attributes where rule.path.hasPrefix(entry.name + ".") {
                let path = rule.path.dropFirst(entry.name.count + 1)
                let element = KeyPathReader.value(of: dictionary as NSDictionary, keyPath: String(path))
                check(
                    rule, element.flatMap { SlotValue($0, kind: traits.kinds[rule.slot]) } ?? .null, &errors)
            }
            _ = elements
        case .toOne:
            if value == nil { checkMandatory(entry, &errors) }
        case .toMany:
            checkCount(value.flatMap(collectionElements)?.count ?? 0, entry, value, &errors)
        case .fetched: return
        }
        try ValidationFailure.throwAll(errors)
    }

    private func check(_ rule: ValidationPlan.AttributeRule, _ value: SlotValue, _ errors: inout [NSError]) {
        if value.isNull {
            if !rule.attribute.isOptional { errors.append(missing(rule.path)) }
            return
        }
        if rule.predicates.isEmpty { return }
        let given = value.any(kind: traits.kinds[rule.slot])
        for (predicate, warning) in rule.predicates where !predicate.evaluate(with: given) {
            let (code, description) = Self.failure(warning, rule.path)
            errors.append(ValidationFailure.make(code, self, rule.path, given, description, predicate: predicate))
        }
    }

    private func missing(_ key: String) -> NSError {
        ValidationFailure.make(
            NSValidationMissingMandatoryPropertyError, self, key, nil, "\(key) is a required value.")
    }

    /// Code and text of a failed predicate: a warning that is a number is one of the codes of the model editor's limits.
    private static func failure(_ warning: Any?, _ key: String) -> (Int, String) {
        guard let code = (warning as? NSNumber)?.intValue else {
            return (NSManagedObjectValidationError, warning as? String ?? "\(key) is not valid.")
        }
        let text =
            switch code {
            case NSValidationNumberTooLargeError: "is too large."
            case NSValidationNumberTooSmallError: "is too small."
            case NSValidationDateTooLateError: "is too late."
            case NSValidationDateTooSoonError: "is too soon."
            case NSValidationInvalidDateError: "is not a valid date."
            case NSValidationStringTooLongError: "is too long."
            case NSValidationStringTooShortError: "is too short."
            case NSValidationStringPatternMatchingError: "does not match the pattern."
            default: "is not valid."
            }
        return (code, "\(key) \(text)")
    }

    // MARK: Relationships

    private func checkPresent(
        _ entry: PropertyEntry, _ context: NSManagedObjectContext?, _ errors: inout [NSError]
    ) {
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            guard let key = toOneKey(at: slot, isPolymorphic: isPolymorphic) else {
                checkMandatory(entry, &errors)
                return
            }
            // The usual case: a saved object that is still there.
            if !key.isTemporary, let context,
                let target = context.identityMap.object(
                    key.number, root: layout.destinationRoot(slot), in: heldStoreLink),
                target.isAlive
            {
                return
            }
            checkDangling(entry, context, &errors)
        case .toMany(let index):
            if isWorthChecking(index, entry) {
                checkCount(memberCount(index, entry), entry, nil, &errors)
            }
            checkDangling(entry, context, &errors)
        case .attribute, .composite, .fetched: break
        }
    }

    /// Whether a to-many has a rule for its count and may break it: what is stored and unchanged satisfied it once.
    private func isWorthChecking(_ index: Int, _ entry: PropertyEntry) -> Bool {
        guard let relationship = entry.relationship else { return false }
        if relationship.isOptional, relationship.minCount == 0, relationship.maxCount == 0 {
            return OverriddenMethods.hasOwnValueRules(type(of: self)) && isLoadedOrChanged(index)
        }
        return state.contains(.inserted) || isLoadedOrChanged(index)
    }

    private func isLoadedOrChanged(_ index: Int) -> Bool {
        guard let toMany, let known = toMany[index] else { return false }
        return known.isLoaded || known.hasChanges
    }

    private func checkMandatory(_ entry: PropertyEntry, _ errors: inout [NSError]) {
        if entry.relationship?.isOptional == false { errors.append(missing(entry.name)) }
    }

    private func checkCount(_ count: Int, _ entry: PropertyEntry, _ value: Any?, _ errors: inout [NSError]) {
        guard let relationship = entry.relationship else { return }
        // A mandatory to-many with no minimum may be empty: stores that Apple's framework saved have such records.
        if count == 0, relationship.isOptional { return }
        if count < relationship.minCount {
            errors.append(
                ValidationFailure.make(
                    NSValidationRelationshipLacksMinimumCountError, self, entry.name, value ?? readValue(entry),
                    "\(entry.name) has \(count) members, fewer than \(relationship.minCount)."))
        } else if relationship.maxCount > 0, count > relationship.maxCount {
            errors.append(
                ValidationFailure.make(
                    NSValidationRelationshipExceedsMaximumCountError, self, entry.name, value ?? readValue(entry),
                    "\(entry.name) has \(count) members, more than \(relationship.maxCount)."))
        }
    }

    /// A relationship that leads to an object which the same save deletes.
    private func checkDangling(
        _ entry: PropertyEntry, _ context: NSManagedObjectContext?, _ errors: inout [NSError]
    ) {
        guard let context else { return }
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            guard let overlay, !overlay.isUnset(slot) || state.contains(.updated),
                let key = toOneKey(at: slot, isPolymorphic: isPolymorphic)
            else { return }
            checkDangling(key, entry, context, &errors)
        case .toMany(let index):
            guard let toMany, let known = toMany[index] else { return }
            for key in known.added { checkDangling(key, entry, context, &errors) }
        case .attribute, .composite, .fetched: break
        }
    }

    private func checkDangling(
        _ key: ObjectKey, _ entry: PropertyEntry, _ context: NSManagedObjectContext, _ errors: inout [NSError]
    ) {
        // Objects that are not registered are not deleted by this context.
        guard let target = context.registered(key, in: storeLink) else {
            if key.isTemporary { errors.append(dangling(entry, nil)) }
            return
        }
        if !target.isAlive { errors.append(dangling(entry, target)) }
    }

    private func dangling(_ entry: PropertyEntry, _ target: NSManagedObject?) -> NSError {
        ValidationFailure.make(
            NSManagedObjectValidationError, self, entry.name, target,
            "Dangling reference to an invalid object. (\(entityName).\(entry.name))")
    }
}

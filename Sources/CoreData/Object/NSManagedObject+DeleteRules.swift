extension NSManagedObject {
    /// Carries out the delete rules of the object's relationships for its pending deletion.
    ///
    /// Nullify takes the object out of the other ends, cascade deletes them. Ends that are deleted themselves are left alone, so
    /// that cycles end and deleting everything costs no upkeep. The object's own relationships can still be read.
    func applyDeleteRules() {
        fireIfFault()
        guard let context = link.context else { return }
        for entry in layout.entries {
            guard let relationship = entry.relationship else { continue }
            switch relationship.deleteRule {
            case .noActionDeleteRule, .denyDeleteRule: continue
            case .nullifyDeleteRule:
                guard let inverse = entry.inverse else { continue }
                forEachRelated(entry, context) { other in
                    if other.isAlive { other.dropInverse(inverse, self) }
                }
            case .cascadeDeleteRule:
                forEachRelated(entry, context) { other in
                    if other.isAlive { context.delete(other) }
                }
            }
        }
    }

    /// Whether the object is there and not about to be deleted.
    var isAlive: Bool { state.isDisjoint(with: Self.gone) }

    private static let gone: State = [.deleted, .detached, .annihilated, .deletedElsewhere, .inaccessible]

    private func forEachRelated(
        _ entry: PropertyEntry, _ context: NSManagedObjectContext, _ body: (NSManagedObject) -> Void
    ) {
        switch entry.place {
        case .toOne(let slot, let isPolymorphic):
            guard let key = toOneKey(at: slot, isPolymorphic: isPolymorphic) else { return }
            body(context.object(for: key, in: storeLink))
        case .toMany(let index):
            let relationship = toManyState(index)
            loadMembers(relationship, entry)
            guard let members = relationship.members else { return }
            for key in members { body(context.object(for: key, in: storeLink)) }
        case .attribute, .composite, .fetched: break
        }
    }

    // MARK: Deny

    /// Fails where a relationship with the deny rule leads to an object that stays.
    func validateDenyRules() throws {
        var errors: [NSError] = []
        fireIfFault()
        guard let context = link.context else { return }
        for entry in layout.entries {
            guard let relationship = entry.relationship, relationship.deleteRule == .denyDeleteRule else { continue }
            var isDenied = false
            forEachRelated(entry, context) { if $0.isAlive { isDenied = true } }
            if isDenied {
                errors.append(
                    ValidationFailure.make(
                        NSValidationRelationshipDeniedDeleteError, self, entry.name, readValue(entry),
                        "\(entityName) cannot be deleted as long as \(entry.name) has members."))
            }
        }
        try ValidationFailure.throwAll(errors)
    }
}

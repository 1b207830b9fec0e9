import Foundation

extension NSManagedObjectModel {
    /// The names of the configurations, sorted; the default configuration, which holds all entities, has none.
    public final var configurations: [String] {
        configurationMembers.keys.sorted()
    }

    /// The entities of a configuration in the model's order.
    ///
    /// - Parameter configuration: a configuration's name; nil means all entities.
    /// - Returns: nil for a name that the model does not have.
    public final func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else { return entities }
        guard let members = configurationMembers[configuration] else { return nil }
        let names = Set(members)
        return entities.filter { names.contains($0.name ?? "") }
    }

    /// The name under which the configuration of all entities is known in store files and descriptions.
    package static var defaultConfigurationName: String { "PF_DEFAULT_CONFIGURATION_NAME" }

    /// Defines a configuration.
    ///
    /// - Precondition: the entities belong to the model.
    public final func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        requireMutable("setEntities(_:forConfigurationName:)")
        for entity in entities where entity.owningModel !== self {
            modelMisuse(
                "setEntities(_:forConfigurationName:): entity '\(entity.name ?? "")' of configuration '\(configuration)' does "
                    + "not belong to the model.")
        }
        configurationMembers[configuration] = entities.compactMap(\.name)
    }

    /// The entities of a configuration in the order in which a store numbers them from 1: a parent right before its
    /// children, siblings by name without regard to case. nil for a name that the model does not have.
    package final func entitiesInStoreOrder(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let members = entities(forConfigurationName: configuration) else { return nil }
        let included = Set(members.map(ObjectIdentifier.init))
        let all = NSEntityDescription.depthFirst(entities.filter { $0.superentity == nil })
        return all.filter { included.contains(ObjectIdentifier($0)) }
    }
}

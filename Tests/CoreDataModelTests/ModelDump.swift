import Foundation

@testable import CoreData

/// Everything a model says, as lines of text that can be compared.
enum ModelDump {
    static func lines(of model: NSManagedObjectModel) -> [String] {
        ModelFacts.facts(of: model).map { "\($0.key): \($0.value)" }.sorted()
    }
}

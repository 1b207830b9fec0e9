import Foundation
import FoundationBackfill

extension ModelXMLReader {
    /// Reads the fetch request templates. One whose predicate cannot be read is left out, and the reason logged.
    func readTemplates(_ root: ModelXMLElement, of model: NSManagedObjectModel) {
        for element in root.children(named: "fetchRequest") {
            guard let name = element["name"], let request = fetchRequest(element, path: name) else { continue }
            model.setFetchRequestTemplate(request.resolvedCopy(in: model), forName: name)
        }
    }

    /// A fetch request by its entity's name; nil if its predicate cannot be read: a request without one would select
    /// everything.
    func fetchRequest(_ element: ModelXMLElement, path: String) -> NSFetchRequest<NSFetchRequestResult>? {
        let facts = FetchRequestFacts()
        if let entityName = element["entity"] { facts.subject = .name(entityName) }
        if let text = element["predicateString"], !text.isEmpty {
            guard let predicate = predicate(text, path: "fetch request '\(path)'") else { return nil }
            facts.predicate = predicate
        }
        facts.fetchLimit = max(0, element.integer("fetchLimit") ?? 0)
        facts.fetchBatchSize = max(0, element.integer("fetchBatchSize") ?? 0)
        facts.resultType = NSFetchRequestResultType(
            rawValue: UInt(truncatingIfNeeded: max(0, element.integer("resultType") ?? 0)))
        // The editor writes these only once somebody has touched them, and then only as "YES".
        let isExplicit = ["includeSubentities", "includePropertyValues", "returnObjectsAsFaults"]
            .contains { element[$0] != nil }
        if isExplicit {
            facts.includesSubentities = element.flag("includeSubentities")
            facts.includesPropertyValues = element.flag("includePropertyValues")
            facts.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults")
        }
        facts.returnsDistinctResults = element.flag("returnDistinctResults")
        return NSFetchRequest(facts: facts)
    }

    /// A predicate by its text; nil, with a logged reason, if it cannot be read.
    func predicate(_ text: String, path: String) -> NSPredicate? {
        do {
            return try NSPredicate.parse(format: text)
        } catch {
            CoreDataLog.warning("the predicate of \(path) cannot be read: \(error)")
            return nil
        }
    }
}

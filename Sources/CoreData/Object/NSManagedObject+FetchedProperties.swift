import Foundation

extension NSManagedObject {
    /// The result of a fetched property, fetched when it is first read and kept until the object becomes a fault.
    ///
    /// A fetch that fails counts as an empty result; the reason is logged.
    func fetchedObjects(_ index: Int, _ entry: PropertyEntry) -> NSArray {
        fireIfFault()
        if let known = fetched?[index] { return known }
        let result = fetch(entry)
        if fetched == nil { fetched = ContiguousArray(repeating: nil, count: layout.fetchedEntries.count) }
        fetched?[index] = result
        return result
    }

    private func fetch(_ entry: PropertyEntry) -> NSArray {
        guard let property = entry.property as? NSFetchedPropertyDescription, let request = property.fetchRequest,
            let context = link.context
        else { return [] }
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        do {
            return NSArray(array: try context.fetch(request))
        } catch {
            CoreDataLog.error(
                "The fetched property \(entry.name) of \(objectID.uriRepresentation().absoluteString) could not be fetched; it "
                    + "counts as empty: \((error as NSError).localizedFailureReason ?? "\(error)")")
            return []
        }
    }
}

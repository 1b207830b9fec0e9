import Foundation

extension NSManagedObjectModel {
    /// The fetch request templates by name. Once the model is in use they are copies, so that no change of one changes the
    /// model.
    public final var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] {
        isFrozen ? storedTemplates.mapValues { $0.resolvedCopy(in: self) } : storedTemplates
    }

    /// A template by its name; nil if there is none. A template with variables is used with
    /// ``fetchRequestFromTemplate(withName:substitutionVariables:)``.
    public final func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSFetchRequestResult>? {
        isFrozen ? storedTemplates[name]?.resolvedCopy(in: self) : storedTemplates[name]
    }

    /// Keeps a request as a template; nil removes the template.
    public final func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?, forName name: String
    ) {
        requireMutable("setFetchRequestTemplate(_:forName:)")
        storedTemplates[name] = fetchRequestTemplate
    }

    /// A new request from a template, with values in the place of the variables of its predicate.
    ///
    /// - Parameters:
    ///   - name: the template's name.
    ///   - variables: a value for every variable, by name without `$`; `NSNull` stands for nil.
    /// - Returns: nil if there is no such template.
    public final func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<NSFetchRequestResult>? {
        guard let request = storedTemplates[name]?.resolvedCopy(in: self) else { return nil }
        if let predicate = request.predicate {
            let missing = predicate.freeVariables.filter { variables[$0] == nil }
            guard missing.isEmpty else {
                modelMisuse(
                    "fetchRequestFromTemplate(withName:substitutionVariables:): template '\(name)' has no value for "
                        + missing.sorted().map { "$" + $0 }.joined(separator: ", ") + ".")
            }
            request.predicate = predicate.withSubstitutionVariables(variables)
        }
        return request
    }
}

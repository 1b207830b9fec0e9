import Foundation

/// The errors of validation.
enum ValidationFailure {
    /// An error in `NSCocoaErrorDomain` about a property of an object.
    static func make(
        _ code: Int, _ object: NSManagedObject, _ key: String, _ value: Any?, _ description: String,
        predicate: NSPredicate? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [
            NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: key,
            NSLocalizedDescriptionKey: localized(description, object),
        ]
        userInfo[NSValidationValueErrorKey] = value
        userInfo[NSValidationPredicateErrorKey] = predicate
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
    }

    /// The text in the model's localisation, if there is one.
    private static func localized(_ text: String, _ object: NSManagedObject) -> String {
        object.entity.owningModel?.localizationDictionary?["ErrorString/" + text] ?? text
    }

    /// Throws nothing for no error, one as it is, several as 1560 with all of them in one list.
    static func throwAll(_ errors: [NSError]) throws {
        guard let first = errors.first else { return }
        if errors.count == 1 { throw first }
        throw combined(errors)
    }

    static func combined(_ errors: [NSError]) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [
                NSLocalizedDescriptionKey: "Multiple validation errors occurred.", NSDetailedErrorsKey: errors,
            ])
    }

    /// The single errors of what a validation method threw.
    static func flat(_ error: any Error) -> [NSError] {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain, error.code == NSValidationMultipleErrorsError,
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError], !details.isEmpty
        else { return [error] }
        return details.flatMap(flat)
    }
}

import Foundation

/// Why no code can be generated from a model, with the place in the model that it is about.
package struct ModelCodeError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The model's name in the file system.
    package let model: String
    package var entity: String?
    package var property: String?
    package let problem: String

    package init(model: String, entity: String? = nil, property: String? = nil, problem: String) {
        self.model = model
        self.entity = entity
        self.property = property
        self.problem = problem
    }

    /// `Library.xcdatamodeld: Book.title: …`
    package var description: String { "\(model): \(place)\(problem)" }

    /// The entity and the property, as the beginning of a sentence: `Book.title: `.
    package var place: String {
        let names = [entity, property].compactMap { $0 }
        return names.isEmpty ? "" : names.joined(separator: ".") + ": "
    }

    package var errorDescription: String? { description }
}

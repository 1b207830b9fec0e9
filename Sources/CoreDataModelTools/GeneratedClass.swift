import CoreData

/// A class of a model, whether its code is generated or written by hand.
package struct GeneratedClass: Equatable, Sendable {
    /// The class in Swift, in backticks where it is a keyword: `Book`, `Library.Book` for a nested class.
    package let name: String
    /// The names by which the model knows the class: `Book`, `.Book`, `Module.Book`.
    package let modelNames: [String]
    /// The entities whose objects are of the class, in the model's order.
    package let entityNames: [String]
    /// The class above it.
    package let superclass: String
    /// The most that an entity of the class has generated of it.
    package let codeGeneration: ModelSource.CodeGeneration
    /// The properties that these entities declare, without inherited ones, in the model's order.
    package let properties: [GeneratedProperty]
    /// The module that the model says the class is in, if it is another than the one that code is generated for.
    package let module: String?
    /// The entity whose objects `fetchRequest()` fetches; nil where several share the class and none is above the others.
    package let fetchedEntityName: String?
    /// Whether the class conforms to `Identifiable` by generated code.
    package let isIdentifiable: Bool
}

/// A property of a model as a property of its class.
package struct GeneratedProperty: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case attribute, toOne
        /// The class of the members.
        case toMany(String, isOrdered: Bool)
        case fetched
    }

    /// The name in the model.
    package let name: String
    /// The name in Swift: in backticks where it is a keyword.
    package let swiftName: String
    /// The type in Swift, an optional with its question mark.
    package let type: String
    package let kind: Kind
    /// Whether generated code has the property. Else it is left to hand-written code, which may lack it, or have it with another
    /// type.
    package let isGenerated: Bool
    /// Whether the framework has accessors for just this type.
    let hasTypedAccessors: Bool
}

import CoreData
import Foundation

/// A predicate that a person typed.
struct WherePredicate {
    let keyPaths: KeyPaths
    let query: StoreQuery
    let entity: NSEntityDescription

    /// Parses and checks a format, and reads dates and records written as text.
    ///
    /// - Throws: `ToolError`
    func parse(_ format: String) throws -> NSPredicate {
        let predicate: NSPredicate
        do {
            predicate = try NSPredicate.parse(format: format)
        } catch let error as PredicateFormatError {
            throw ToolError(.predicate, keyPaths.path, "--where: \(error.reason)", advice: error.caret)
        }
        return try checked(predicate, [:], 0)
    }

    private typealias Variables = [String: NSEntityDescription]

    private func checked(_ predicate: NSPredicate, _ variables: Variables, _ depth: Int) throws -> NSPredicate {
        // The parser bounds the depth too; the store has its own bound and message.
        guard depth < 500 else { return predicate }
        switch predicate.form {
        case .constant, .opaque: return predicate
        case .compound(let type, let parts):
            return NSCompoundPredicate(
                type: type, subpredicates: try parts.map { try checked($0, variables, depth + 1) })
        case .comparison(let comparison):
            let left = comparison.leftExpression
            let right = comparison.rightExpression
            return NSComparisonPredicate(
                leftExpression: try checked(left, comparedWith: right, variables, depth),
                rightExpression: try checked(right, comparedWith: left, variables, depth),
                modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
                options: comparison.options)
        }
    }

    private func checked(
        _ expression: NSExpression, comparedWith other: NSExpression, _ variables: Variables, _ depth: Int
    ) throws -> NSExpression {
        try check(expression, variables, depth)
        guard let target = try? target(of: other, variables) else { return expression }
        return try read(expression, as: target)
    }

    /// - Throws: `ToolError` for a key path that leads nowhere.
    private func check(_ expression: NSExpression, _ variables: Variables, _ depth: Int) throws {
        guard depth < 500 else { return }
        switch expression.node {
        case .constant, .evaluatedObject, .variable, .anyKey, .custom: break
        case .keyPath(_, let operand):
            if let operand { try check(operand, variables, depth + 1) }
            _ = try target(of: expression, variables)
        case .function(_, let operand, let arguments):
            if let operand { try check(operand, variables, depth + 1) }
            for argument in arguments { try check(argument, variables, depth + 1) }
        case .set(_, let left, let right):
            try check(left, variables, depth + 1)
            try check(right, variables, depth + 1)
        case .subquery(let collection, let variable, let predicate):
            try check(collection, variables, depth + 1)
            var inner = variables
            if case .toMany(let relationship)? = try target(of: collection, variables) {
                inner[variable] = relationship.destinationEntity
            }
            _ = try checked(predicate, inner, depth + 1)
        case .aggregate(let members):
            for member in members { try check(member, variables, depth + 1) }
        case .block(_, let arguments):
            for argument in arguments { try check(argument, variables, depth + 1) }
        case .conditional(let condition, let first, let second):
            _ = try checked(condition, variables, depth + 1)
            try check(first, variables, depth + 1)
            try check(second, variables, depth + 1)
        case .fetch:
            throw ToolError(.predicate, keyPaths.path, "--where: FETCH needs a context, and there is none here.")
        }
    }

    /// What a key path leads to; nil for other expressions.
    private func target(of expression: NSExpression, _ variables: Variables) throws -> KeyPaths.Target? {
        switch expression.node {
        case .evaluatedObject: return .record(entity)
        case .variable(let name): return variables[name].map { .record($0) }
        case .keyPath(let path, operand: nil): return try keyPaths.target(of: path, in: entity)
        case .keyPath(let path, operand: let operand?):
            switch operand.node {
            case .evaluatedObject: return try keyPaths.target(of: path, in: entity)
            case .variable(let name):
                guard let entity = variables[name] else { return nil }
                return try keyPaths.target(of: path, in: entity)
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: Constants

    private func read(_ expression: NSExpression, as target: KeyPaths.Target) throws -> NSExpression {
        switch expression.node {
        case .aggregate(let members):
            return NSExpression(forAggregate: try members.map { try read($0, as: target) })
        case .constant(let value as String):
            switch target {
            case .attribute(let attribute) where attribute.attributeType == .dateAttributeType:
                guard let date = Timestamp.date(value) else {
                    throw ToolError(
                        .predicate, keyPaths.path, "--where: '\(value)' is no date for '\(attribute.name)'.",
                        advice: "Write it as '2024-05-01' or '2024-05-01T12:00:00Z'.")
                }
                return NSExpression(forConstantValue: date)
            case .toOne(let relationship), .toMany(let relationship):
                return try relationship.destinationEntity.map { try record(value, $0) } ?? expression
            case .record(let entity): return try record(value, entity)
            default: return expression
            }
        default: return expression
        }
    }

    /// A record by `Book/p12`, by `p12`, or by its whole URI.
    private func record(_ text: String, _ entity: NSEntityDescription) throws -> NSExpression {
        let parts = text.split(separator: "/", omittingEmptySubsequences: true)
        let name = parts.count > 1 ? String(parts[parts.count - 2]) : entity.name ?? ""
        guard let key = parts.last, key.first == "p", let number = Int64(key.dropFirst()),
            let named = entity.managedObjectModel.entitiesByName[name]
        else {
            throw ToolError(
                .predicate, keyPaths.path, "--where: '\(text)' names no record.",
                advice: "Write a record as '\(entity.name ?? "Entity")/p12'.")
        }
        return NSExpression(forConstantValue: query.objectID(named, key: number))
    }
}

extension PredicateFormatError {
    /// The line of the fault, and a mark under it.
    fileprivate var caret: String {
        description.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
    }
}

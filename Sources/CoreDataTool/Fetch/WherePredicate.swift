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
        do {
            return try checked(try NSPredicate.parse(format: format), [:], 0)
        } catch let error as PredicateFormatError {
            throw ToolError(.predicate, keyPaths.path, "--where: \(error.reason)", advice: error.advice)
        }
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
            return comparison.comparing(
                try checked(left, comparedWith: right, variables, depth),
                try checked(right, comparedWith: left, variables, depth))
        }
    }

    private func checked(
        _ expression: NSExpression, comparedWith other: NSExpression, _ variables: Variables, _ depth: Int
    ) throws -> NSExpression {
        try check(expression, variables, depth)
        if let date = try castDate(expression) { return date }
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
        case .function(let name, let operand, let arguments):
            if operand == nil { try checkFunction(name) }
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

    private func checkFunction(_ name: String) throws {
        guard PredefinedFunction.named(name) == nil, name != PredefinedFunction.canonical else { return }
        let near = Suggestion.nearest(to: name, among: PredefinedFunction.allCases.map(\.rawValue))
        throw ToolError(
            .predicate, keyPaths.path, "--where: there is no function '\(name)'.",
            advice: near.map { "Did you mean '\($0)'?" })
    }

    /// What a key path leads to; nil for other expressions.
    private func target(of expression: NSExpression, _ variables: Variables) throws -> KeyPaths.Target? {
        switch expression.node {
        case .evaluatedObject: return .record(entity)
        case .variable(let name): return variables[name].map { .record($0) }
        case .keyPath(let path, operand: nil): return try keyPaths.target(of: path, in: entity, crossesToMany: true)
        case .keyPath(let path, operand: let operand?):
            switch operand.node {
            case .evaluatedObject: return try keyPaths.target(of: path, in: entity, crossesToMany: true)
            case .variable(let name):
                guard let entity = variables[name] else { return nil }
                return try keyPaths.target(of: path, in: entity, crossesToMany: true)
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: Constants

    /// `CAST('2024-05-01', 'NSDate')`: texts are dates nowhere else in a predicate.
    private func castDate(_ expression: NSExpression) throws -> NSExpression? {
        guard case .function(PredefinedFunction.cast.rawValue, operand: nil, let arguments) = expression.node,
            arguments.count == 2, case .constant(let type as String) = arguments[1].node, type == "NSDate",
            case .constant(let text as String) = arguments[0].node, Double(text) == nil
        else { return nil }
        return NSExpression(forConstantValue: try date(text, "CAST"))
    }

    private func date(_ text: String, _ place: String) throws -> Date {
        guard let date = Timestamp.date(text) else {
            throw ToolError(
                .predicate, keyPaths.path, "--where: '\(text)' is no date for '\(place)'.",
                advice: "Write it as '2024-05-01' or '2024-05-01T12:00:00Z'.")
        }
        return date
    }

    private func read(_ expression: NSExpression, as target: KeyPaths.Target) throws -> NSExpression {
        switch expression.node {
        case .aggregate(let members):
            return NSExpression(forAggregate: try members.map { try read($0, as: target) })
        case .constant(let value as String):
            switch target {
            case .attribute(let attribute) where attribute.attributeType == .dateAttributeType:
                return NSExpression(forConstantValue: try date(value, attribute.name))
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
    /// A mark under the fault, and the operator that a word there may have been meant for.
    fileprivate var advice: String {
        let word = String(decoding: format.utf8.dropFirst(utf8Offset), as: UTF8.self).prefix(while: \.isLetter)
        guard word.count > 1, !Self.operators.contains(word.uppercased()),
            let near = Suggestion.nearest(to: String(word), among: Self.operators)
        else { return caret }
        return caret + "\nDid you mean '\(near)'?"
    }

    private static let operators = [
        "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN", "IN", "AND", "OR", "NOT",
    ]

    /// The text as it can be shown, on one line, and a mark under the fault.
    private var caret: String {
        let bytes = Array(format.utf8)
        let before = String(decoding: bytes.prefix(utf8Offset), as: UTF8.self).printable
        let behind = String(decoding: bytes.dropFirst(utf8Offset), as: UTF8.self).printable
        return "    \(before)\(behind)\n    \(String(repeating: " ", count: before.columns))^"
    }
}

import Foundation
import FoundationBackfill

/// The error codes that stand in the place of a warning's text for the limits of the model editor.
private enum ValidationCode {
    static let numberTooLarge = 1610
    static let numberTooSmall = 1620
    static let dateTooLate = 1630
    static let dateTooSoon = 1640
    static let stringTooLong = 1660
    static let stringTooShort = 1670
    static let stringPattern = 1680
}

extension ModelXMLReader {
    /// Makes predicates of an attribute's limits, as the model compiler does: their warnings are the error codes.
    static func readValidation(of attribute: NSAttributeDescription, _ element: ModelXMLElement) {
        var predicates: [NSPredicate] = []
        var codes: [NSNumber] = []
        func add(
            _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ value: Any?, _ code: Int
        ) {
            guard let value else { return }
            predicates.append(
                NSComparisonPredicate(
                    leftExpression: left, rightExpression: NSExpression(forConstantValue: value), modifier: .direct,
                    type: type))
            codes.append(NSNumber(value: code))
        }
        let subject = NSExpression.expressionForEvaluatedObject()
        switch attribute.attributeType {
        case .stringAttributeType:
            let length = NSExpression(forKeyPath: "length")
            add(length, .greaterThanOrEqualTo, limit(element["minValueString"]), ValidationCode.stringTooShort)
            add(length, .lessThanOrEqualTo, limit(element["maxValueString"]), ValidationCode.stringTooLong)
            add(subject, .matches, element["regularExpressionString"], ValidationCode.stringPattern)
        case .dateAttributeType:
            let dates = ["min", "max"].map { bound in
                element[bound + "DateTimeInterval"].flatMap { Double($0) }
                    .map { Date(timeIntervalSinceReferenceDate: $0) as Any }
                    ?? element[bound + "ValueString"].flatMap { value($0, type: .dateAttributeType) }
            }
            add(subject, .greaterThanOrEqualTo, dates[0], ValidationCode.dateTooSoon)
            add(subject, .lessThanOrEqualTo, dates[1], ValidationCode.dateTooLate)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            let type = attribute.attributeType
            let least = element["minValueString"].flatMap { value($0, type: type) }
            let most = element["maxValueString"].flatMap { value($0, type: type) }
            add(subject, .greaterThanOrEqualTo, least, ValidationCode.numberTooSmall)
            add(subject, .lessThanOrEqualTo, most, ValidationCode.numberTooLarge)
        default: break
        }
        attribute.storeValidation(predicates: predicates, warnings: codes)
    }

    private static func limit(_ text: String?) -> NSNumber? {
        text.flatMap { Int64($0) }.map { NSNumber(value: $0) }
    }
}

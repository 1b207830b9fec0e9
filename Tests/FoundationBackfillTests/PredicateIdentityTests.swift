import Foundation
import FoundationBackfill
import Testing

/// Equality, text, copies, substitution and arguments of predicates.
@Suite struct PredicateIdentityTests {
    @Test func equalStructuresAreEqual() {
        #expect(NSPredicate(format: "a == 1 AND b IN {1, 2}") == NSPredicate(format: "a = %d && b IN %@", 1, [1, 2]))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a == 2"))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a ==[c] 1"))
        #expect(NSPredicate(format: "ANY a == 1") != NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "a == '1'") != NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "a == 1 AND b == 1") != NSPredicate(format: "a == 1 OR b == 1"))
        #expect(NSPredicate(format: "a == 1").hash == NSPredicate(format: "a = 1").hash)
        #expect(NSPredicate(format: "a IN %@", Set([1, 2, 3])) == NSPredicate(format: "a IN {3, 2, 1}"))
        #expect(NSPredicate(format: "a == nil") == NSPredicate(format: "a == %@", NSNull()))
    }

    @Test func foundationsCompoundsAreComparedByStructure() {
        let a = NSPredicate(format: "a == 1")
        let b = NSPredicate(format: "b == 1")
        let made = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        #expect(made.isSame(as: NSPredicate(format: "a == 1 AND b == 1")))
        #expect(!made.isSame(as: NSPredicate(format: "a == 1 OR b == 1")))
        #expect(made.formatText == "a == 1 AND b == 1")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: made).formatText == "NOT (a == 1 AND b == 1)")
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [made, a])
        #expect(or.formatText == "(a == 1 AND b == 1) OR a == 1")
    }

    @Test func formsAreToldApart() {
        func name(_ predicate: NSPredicate) -> String {
            switch predicate.form {
            case .comparison: "comparison"
            case .compound(let type, let members): "\(type) \(members.count)"
            case .constant(let value): "\(value)"
            case .opaque: "opaque"
            }
        }
        #expect(name(NSPredicate(value: true)) == "true")
        #expect(name(NSPredicate(value: false)) == "false")
        #expect(name(NSPredicate(format: "TRUEPREDICATE")) == "true")
        #expect(name(NSPredicate(format: "falsepredicate")) == "false")
        #expect(name(NSPredicate { _, _ in true }) == "opaque")
        #expect(name(NSPredicate(format: "a == 1")) == "comparison")
        #expect(name(NSPredicate(format: "a == 1 AND b == 1 AND c == 1")) == "and 3")
        #expect(name(NSPredicate(format: "NOT a == 1")) == "not 1")
        #expect(name(NSCompoundPredicate(orPredicateWithSubpredicates: [])) == "or 0")
    }

    @Test func compoundsAndComparisonsCanBeTakenApart() throws {
        let compound = try #require(NSPredicate(format: "a == 1 OR NOT b CONTAINS[cd] 'x'") as? NSCompoundPredicate)
        #expect(compound.compoundPredicateType == .or)
        #expect(compound.subpredicates.count == 2)
        let not = try #require(compound.subpredicates[1] as? NSCompoundPredicate)
        #expect(not.compoundPredicateType == .not)
        let comparison = try #require(not.subpredicates[0] as? NSComparisonPredicate)
        #expect(comparison.predicateOperatorType == .contains)
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(comparison.comparisonPredicateModifier == .direct)
        #expect(comparison.leftExpression.keyPath == "b")
        #expect(comparison.rightExpression.constantValue as? String == "x")
    }

    @Test func operatorsHaveApplesNumbers() {
        let all: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .matches, .like,
            .beginsWith,
            .endsWith, .in, .customSelector, .contains, .between,
        ]
        #expect(all.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99, 100])
    }

    @Test func copiesAreTheSamePredicate() {
        for format in ["a == 1", "a == 1 AND b == 2"] {
            let predicate = NSPredicate(format: format)
            #expect(predicate.copy() as? NSPredicate === predicate)
        }
    }

    @Test func literalsAreTheValuesThatAppleGives() throws {
        func constant(_ literal: String) throws -> Any? {
            let predicate = try NSPredicate.parse(format: "a == \(literal)") as? NSComparisonPredicate
            return try #require(predicate).rightExpression.constantValue
        }
        #expect(try constant("nil") == nil && constant("NULL") == nil)
        #expect(try constant("true") as? NSNumber == 1 && constant("true") as? Bool == true)
        #expect(try constant("NO") as? Bool == false)
        #expect(try constant("42") as? Int == 42)
        #expect(try constant("-1.5") as? Double == -1.5)
    }

    // MARK: Arguments

    @Test func argumentsKeepTheirValues() throws {
        let date = Date()
        let id = UUID()
        let url = try #require(URL(string: "https://a.example"))
        let predicate = NSPredicate(
            format: "a == %@ AND b == %@ AND c == %@ AND d == %@ AND e IN %@ AND f == %@", date as CVarArg,
            id as CVarArg,
            url as CVarArg, Data([1]) as CVarArg, [1, 2], Decimal(5) as CVarArg)
        let compound = try #require(predicate as? NSCompoundPredicate)
        let values = compound.subpredicates.map { ($0 as? NSComparisonPredicate)?.rightExpression.constantValue ?? nil }
        #expect(values[0] as? Date == date)
        #expect(values[1] as? UUID == id)
        #expect(values[2] as? URL == url)
        #expect(values[3] as? Data == Data([1]))
        #expect(values[4] as? [Int] == [1, 2])
        #expect(values[5] as? Decimal == 5)
    }

    @Test func specifiersConvertNumbers() {
        #expect(NSPredicate(format: "a == %d", Int8(3)).formatText == "a == 3")
        #expect(NSPredicate(format: "a == %lu", UInt64.max).formatText == "a == 18446744073709551615")
        #expect(
            NSPredicate(format: "a == %lld AND b == %i AND c == %ld", Int64.min, Int32(-1), 2).formatText
                == "a == -9223372036854775808 AND b == -1 AND c == 2")
        #expect(
            NSPredicate(format: "a == %f AND b == %g AND c == %lf", 1.5, Float(2.5), 3.0).formatText
                == "a == 1.5 AND b == 2.5 AND c == 3")
        #expect(NSPredicate(format: "a == %d", argumentArray: [NSNumber(value: 3.7)]).formatText == "a == 3")
        #expect(NSPredicate(format: "a == %d", true).formatText == "a == 1")
        #expect(NSPredicate(format: "a == %@", NSNumber(value: true)).formatText == "a == 1")
    }

    @Test func specifiersInQuotesAreText() {
        #expect(NSPredicate(format: "a == '%@' AND b == \"%d\"").formatText == "a == \"%@\" AND b == \"%d\"")
    }

    @Test func keyPathsAndExpressionsAsArguments() {
        #expect(NSPredicate(format: "%K == %@", "a.b", "x").formatText == "a.b == \"x\"")
        #expect(NSPredicate(format: "ANY %K.%K == 1", "a", "b").formatText == "ANY a.b == 1")
        #expect(
            NSPredicate(format: "SUBQUERY(%K, $x, $x.%K == %@).@count > 0", "a", "b", "c").formatText
                == "SUBQUERY(a, $x, $x.b == \"c\").@count > 0")
        #expect(NSPredicate(format: "%@ > 100", NSExpression(forVariable: "count")).formatText == "$count > 100")
    }

    @Test func cArgumentListsAreRead() {
        let text: NSString = "name"
        let object = NSNumber(value: 7)
        let predicate = withVaList([text, object, Int32(-3), UInt64.max, 2.5, Int(9)]) {
            NSPredicate(format: "%K == %@ AND a == %d AND b == %llu AND c == %f AND d == %ld", arguments: $0)
        }
        #expect(predicate.formatText == "name == 7 AND a == -3 AND b == 18446744073709551615 AND c == 2.5 AND d == 9")
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let second = withVaList([date as CVarArg, "x"]) { NSPredicate(format: "d == %@ AND e == %@", arguments: $0) }
        #expect(second.formatText == "d == CAST(5.000000, \"NSDate\") AND e == \"x\"")
    }

    // MARK: Variables

    @Test func variablesAreReplaced() {
        let template = NSPredicate(format: "age > $AGE AND (name == $NAME OR ANY kids.name IN {$NAME, 'x'})")
        #expect(template.freeVariables == ["AGE", "NAME"])
        let predicate = template.withSubstitutionVariables(["AGE": 18, "NAME": "b"])
        #expect(predicate.formatText == "age > 18 AND (name == \"b\" OR ANY kids.name IN {\"b\", \"x\"})")
        #expect(predicate.freeVariables.isEmpty)
        #expect(template.withSubstitutionVariables(["AGE": 1]).freeVariables == ["NAME"])
        #expect(template.formatText.contains("$AGE"))
    }

    @Test func theIteratorOfASubqueryIsNotReplaced() {
        let template = NSPredicate(format: "SUBQUERY(kids, $x, $x.age > $y).@count > 0")
        #expect(template.freeVariables == ["y"])
        #expect(
            template.withSubstitutionVariables(["x": 1, "y": 2]).formatText
                == "SUBQUERY(kids, $x, $x.age > 2).@count > 0")
    }

    @Test func blocksAndFoundationsCompoundsSubstitute() {
        let block = NSPredicate { object, bindings in (object as? Int) == (bindings?["n"] as? Int) }
        #expect(block.withSubstitutionVariables(["n": 3]).evaluate(with: 3))
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "SELF == $n"), block])
        #expect(compound.withSubstitutionVariables(["n": 3]).evaluate(with: 3))
        #expect(compound.evaluate(with: 3, substitutionVariables: ["n": 3]))
        #expect(!compound.evaluate(with: 4, substitutionVariables: ["n": 3]))
    }

    @Test func keyPathsOfVariablesReadTheirValues() {
        let template = NSPredicate(format: "name == $FETCH_SOURCE.name")
        let bound = template.withSubstitutionVariables(["FETCH_SOURCE": ["name": "a"]])
        #expect(bound.evaluate(with: ["name": "a"]))
        #expect(template.evaluate(with: ["name": "a"], substitutionVariables: ["FETCH_SOURCE": ["name": "a"]]))
    }

    // MARK: Text

    @Test func everyConstantReadsBack() throws {
        let constants: [Any] = [
            Date(timeIntervalSinceReferenceDate: 0.123_456_789), Date(timeIntervalSinceReferenceDate: -1e9), UUID(),
            Data([0, 255]),
            "quote \" back\\slash \n tab\t \u{1} é 😀 'single' %@", "", 0, -1, Int64.min, Int64.max, UInt64.max, 0.1,
            1e300, -2.5e-300, -0.0,
            Double.infinity, Double.nan, NSDecimalNumber(string: "123456789012345678901234567890.12345"), true,
            [1, "a", [2.5]] as [Any], NSNull(), URL(string: "https://a.example/?q=1%202") ?? "", Set(["b", "a"]),
        ]
        for constant in constants {
            let predicate = NSPredicate(format: "a == %@", argumentArray: [constant])
            #expect(try NSPredicate.parse(format: predicate.formatText) == predicate, "\(predicate.formatText)")
        }
    }

    @Test func everyFormOfPredicateReadsBack() throws {
        let formats = [
            "FUNCTION(a, \"x:y:\", 1, $b) == nil", "FETCH($r, $c, NO).@count == 1", "a UNION b MINUS c == d",
            "(a INTERSECT b).@count > 0",
            "a MINUS (b UNION c) == d", "NOT (NOT a == 1)", "NOT TRUEPREDICATE", "#and.or == 1", "a.in == 1",
            "$v.x[2].y == 1",
            "(a + b).c == 1", "~a == 1", "-a == 1", "2 - -2 == 4", "(-2) ** 2 == 4", "-2 ** 2 == -4",
            "a << 2 & 1 | 3 ^ 4 == 1",
            "a - b - c == a - (b - c)", "a / (b * c) == 1", "a ** b ** c == (a ** b) ** c",
            "CAST(a, \"NSDate\") < now()",
            "ANYKEY == 1", "unknown(a, 1) == 2", "a:b:(1, 2) == 3", "{} == {}",
            "TERNARY(a == 1 OR b == 2, {1}, {2}) == c",
            "ALL a.b IN {1} OR ANY c.d BETWEEN {1, 2} OR NONE e.f LIKE[cd] 'x'", "a ==[cdnl] 'x'",
            "a[SIZE] == b[FIRST] + c['k']", "a[#first] == 1", "a[#Size.x] == 1", "(nil).x == 1", "#none[0] == #nil",
            "random(3) < 3",
        ]
        for format in formats {
            let predicate = try NSPredicate.parse(format: format)
            let again = try NSPredicate.parse(format: predicate.formatText)
            #expect(again.isSame(as: predicate), "\(format) printed as \(predicate.formatText)")
            #expect(again.formatText == predicate.formatText)
        }
    }
}

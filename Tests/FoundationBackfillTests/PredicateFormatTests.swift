import Foundation
import FoundationBackfill
import Testing

/// What formats are parsed into, seen through the text that Apple's `predicateFormat` gives for them.
@Suite struct PredicateFormatTests {
    @Test(
        arguments: [
            ("name = 'x'", "name == \"x\""),
            ("a=1", "a == 1"),
            ("a => 1", "a >= 1"),
            ("a =< 1", "a <= 1"),
            ("a <> 1", "a != 1"),
            ("a == nil", "a == nil"),
            ("a == YES", "a == 1"),
            ("name contains[cd] \"é\"", "name CONTAINS[cd] \"é\""),
            ("statusKey == [c] 'A'", "statusKey ==[c] \"A\""),
            ("a == 1 and b == 2 && c == 3", "a == 1 AND b == 2 AND c == 3"),
            ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
            ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
            ("NOT a == 1 AND b == 2", "NOT a == 1 AND b == 2"),
            ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
            ("!a == 1", "NOT a == 1"),
            ("NONE x.y == 1", "NOT ANY x.y == 1"),
            ("SOME x.y == 1", "ANY x.y == 1"),
            ("ALL x.y > 1", "ALL x.y > 1"),
            ("a BETWEEN {1, 2}", "a BETWEEN {1, 2}"),
            ("SELF.a IN {'x','y'}", "a IN {\"x\", \"y\"}"),
            ("SUBQUERY(kids, $k, $k.age > 3).@count > 0", "SUBQUERY(kids, $k, $k.age > 3).@count > 0"),
            ("1 + 2 * 3 == 7", "1 + 2 * 3 == 7"),
            ("(1 + 2) * 3 == 9", "(1 + 2) * 3 == 9"),
            ("a - (b - c) == 0", "a - (b - c) == 0"),
            ("2 ** 3 ** 2 == x", "2 ** 3 ** 2 == x"),
            ("(2 ** 3) ** 2 == x", "(2 ** 3) ** 2 == x"),
            ("-1 < a", "-1 < a"),
            ("#in == 3", "#in == 3"),
            ("a[0] == b[FIRST]", "a[0] == b[FIRST]"),
            ("TERNARY(a == 1, b, c) == 2", "TERNARY(a == 1, b, c) == 2"),
            ("sum:(a.b) > 3", "sum:(a.b) > 3"),
            ("add:to:(1, 2) == 3", "1 + 2 == 3"),
            ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("a == 0x1F OR a == 0b101 OR a == 0o17 OR a == 1.5e3", "a == 31 OR a == 5 OR a == 15 OR a == 1500"),
            ("a == 'it\\'s \"\\n\"'", "a == \"it's \\\"\\n\\\"\""),
        ])
    func printsAsApple(format: String, expected: String) throws {
        let predicate = try NSPredicate.parse(format: format)
        #expect(predicate.formatText == expected)
        #expect(try NSPredicate.parse(format: expected) == predicate)
    }

    @Test func keywordsAreReadInAnyCase() throws {
        let predicate = try NSPredicate.parse(
            format: "not (a beginsWith[C] 'x' Or b = Null) aNd any c.d in {yes, False}")
        #expect(predicate.formatText == "NOT (a BEGINSWITH[c] \"x\" OR b == nil) AND ANY c.d IN {1, 0}")
    }

    @Test func nothingNeedsToStandBetweenTokens() throws {
        let predicate = try NSPredicate.parse(
            format: "(a=1)AND(b>=2)OR NOT(c IN{1,2})AND d==%@AND e=='x'", arguments: ["y"])
        #expect(
            predicate.formatText
                == "(a == 1 AND b >= 2) OR (NOT c IN {1, 2} AND d == \"y\" AND e == \"x\")")
    }

    @Test func printingAPredicateGivesItsFormat() {
        #expect("\(NSPredicate(format: "a = 1"))" == "a == 1")
        #expect("\(NSPredicate(format: "a = 1 && b = 2"))" == "a == 1 AND b == 2")
        #expect("\(NSExpression(format: "a+1"))" == "a + 1")
    }
}

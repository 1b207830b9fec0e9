import Foundation
import FoundationBackfill
import Testing

/// Functions and operators of expressions, with values worked out by hand.
@Suite struct ExpressionTests {
    private let object: [String: Any] = [
        "n": 7, "d": 2.5, "list": [4, 1, 3, 4], "names": ["b", "a"], "text": "Straße",
        "kids": [["age": 3], ["age": 5], [:]] as [[String: Any]],
    ]

    private func value(_ format: String, _ arguments: Any...) throws -> Any? {
        try NSExpression.parse(format: format, arguments: arguments).expressionValue(with: object, context: nil)
    }

    private func number(_ format: String, _ arguments: [Any] = []) throws -> Double? {
        let expression = try NSExpression.parse(format: format, arguments: arguments)
        return (expression.expressionValue(with: object, context: nil) as? NSNumber)?.doubleValue
    }

    @Test(arguments: [
        ("4 + 5 - 2**3", 1.0), ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 / 2", 3), ("7 / 2.0", 3.5), ("10 - 4 - 3", 3),
        ("2 ** 3 ** 2", 512), ("-2 ** 2", -4), ("(-2) ** 2", 4), ("2 - -2", 4), ("n * 2", 14), ("d + 1", 3.5),
        ("6 & 3", 2), ("6 | 3", 7), ("6 ^ 3", 5), ("1 << 4", 16), ("16 >> 2", 4), ("~0", -1), ("7 %% 4", 3),
        ("1 + 1 & 3", 2), ("modulus:by:(7, 4)", 3), ("from:subtract:(7, 4)", 3), ("multiply:by:(3, 4)", 12),
        ("divide:by:(7, 2)", 3), ("raise:toPower:(2, 10)", 1024), ("sqrt:(16)", 4), ("abs:(-3)", 3), ("floor:(2.7)", 2),
        ("ceiling:(2.1)", 3), ("trunc:(-2.7)", -2), ("ln:(1)", 0), ("log:(1000)", 3), ("exp:(0)", 1),
        ("bitwiseAnd:with:(6, 3)", 2), ("onesComplement:(0)", -1), ("leftshift:by:(1, 3)", 8),
        ("sum:(list)", 12), ("average:(list)", 3), ("count:(list)", 4), ("min:(list)", 1), ("max:(list)", 4),
        ("median:(list)", 3.5), ("median:({1, 2, 9})", 2), ("stddev:({2, 4, 4, 4, 5, 5, 7, 9})", 2),
        ("sum:({1, 2.5})", 3.5),
        ("count:(kids)", 3), ("sum:(kids.age)", 8), ("average:(kids.age)", 4), ("kids.@count", 3), ("kids.@sum.age", 8),
        ("kids.age.@sum", 8), ("kids.@avg.age", 4), ("kids.@max.age", 5), ("kids.@min.age", 3), ("list.@count", 4),
        ("list[0]", 4), ("list[FIRST]", 4), ("list[LAST]", 4), ("list[SIZE]", 4), ("list[1]", 1), ("sum(list)", 12),
        ("length:(text)", 6), ("noindex:(n)", 7), ("TERNARY(n > 5, 1, 2)", 1), ("TERNARY(n > 9, 1, 2)", 2),
        ("CAST('12', 'NSNumber')", 12), ("0x10 + 0b11 + 0o7", 26), ("1e2 + .5", 100.5), ("sum:({})", 0),
        ("9223372036854775807 + 1", 9_223_372_036_854_775_808),
    ])
    func computes(format: String, expected: Double) throws {
        #expect(try number(format) == expected)
    }

    @Test(arguments: [
        "1 / 0", "1.5 / 0", "7 %% 0", "n + missing", "missing * 2", "n + text", "list[9]", "list[-1]", "average:({})",
        "min:({})",
        "sqrt:(-1)", "length:(n)", "unknown:(n)", "$unbound", "text[0]", "missing.a.b", "CAST('x', 'NSNumber')",
        "FUNCTION(n, 'call:', 1)", "ANYKEY", "list UNION n", "bitwiseAnd:with:(1, 'x')",
    ])
    func givesNilWhereThereIsNoValue(format: String) throws {
        #expect(try value(format) == nil)
    }

    @Test func shiftsAndOverflowsDoNotTrap() throws {
        #expect(try number("1 << 64") == 0)
        #expect(try number("1 >> 99") == 0)
        #expect(try number("4 << -1") == 2)
        #expect(try number("-9223372036854775808 / -1") == 9_223_372_036_854_775_808)
        #expect(try number("-9223372036854775808 %% -1") == 0)
        #expect(try number("abs:(-9223372036854775808)") == 9_223_372_036_854_775_808)
    }

    @Test func decimalsStayExact() throws {
        let tenth = NSDecimalNumber(string: "0.1")
        let sum = try NSExpression.parse(format: "%@ + %@ + %@", arguments: [tenth, tenth, tenth])
            .expressionValue(with: nil, context: nil)
        #expect((sum as? NSDecimalNumber)?.decimalValue == Decimal(string: "0.3"))
    }

    @Test func textFunctions() throws {
        #expect(try value("uppercase:(text)") as? String == "STRASSE")
        #expect(try value("lowercase:('ÀB')") as? String == "àb")
        #expect(try value("canonical:('Héllo Wörld')") as? String == "hello world")
    }

    @Test func datesMoveBySeconds() throws {
        let start = Date(timeIntervalSinceReferenceDate: 100)
        #expect(try value("%@ + 5", start) as? Date == start.addingTimeInterval(5))
        #expect(try value("%@ - 5", start) as? Date == start.addingTimeInterval(-5))
        #expect(try value("%@ - %@", start.addingTimeInterval(9), start) as? Double == 9)
        let now = try #require(try value("now()") as? Date)
        #expect(abs(now.timeIntervalSinceNow) < 60)
    }

    @Test func setsCombine() throws {
        #expect(try value("{1, 2} UNION {2, 3}") as? [Int] == [1, 2, 3])
        #expect(try value("{1, 2} INTERSECT {2, 3}") as? [Int] == [2])
        #expect(try value("{1, 2} MINUS {2, 3}") as? [Int] == [1])
        #expect(try value("mode:(list)") as? [Int] == [4])
    }

    @Test func variablesComeFromTheContext() throws {
        let expression = try NSExpression.parse(format: "$x.age + $y")
        let context: NSMutableDictionary = ["x": ["age": 3], "y": 4]
        #expect(expression.expressionValue(with: nil, context: context) as? Int == 7)
    }

    @Test func blocksReceiveObjectArgumentsAndContext() {
        let expression = NSExpression(
            block: { object, arguments, _ in "\(object ?? "nil")-\(arguments)" },
            arguments: [NSExpression(forConstantValue: 1)])
        #expect(expression.expressionValue(with: "o", context: nil) as? String == "o-[1]")
    }

    private final class Adder: FunctionCallable {
        func call(_ name: String, arguments: [Any?]) -> Any? {
            switch name {
            case "add:": (arguments.first as? Int ?? 0) + 1
            case "isBelow:": (arguments.first as? Int ?? 0) > 10
            default: nil
            }
        }
    }

    @Test func methodsAreCalledByName() throws {
        let expression = try NSExpression.parse(format: "FUNCTION(%@, 'add:', 41)", arguments: [Adder()])
        #expect(expression.expressionValue(with: nil, context: nil) as? Int == 42)
    }

    @Test func methodsOfValuesWithoutArgumentsAreTheirProperties() throws {
        #expect(try value("FUNCTION('Abc', 'lowercaseString')") as? String == "abc")
        #expect(try value("FUNCTION('Abc', 'length')") as? Int == 3)
        #expect(try value("FUNCTION('a', 'stringByAppendingString:', 'b')") == nil)
    }

    @Test func aSelectorOfALeftValueDecidesAComparison() throws {
        func comparison(_ bound: Int, _ name: String = "isBelow:") -> NSComparisonPredicate {
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forConstantValue: bound),
                customSelector: NSSelectorFromString(name))
        }
        #expect(comparison(11).predicateOperatorType == .customSelector)
        #expect(comparison(11).customSelector == Selector("isBelow:"))
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect(NSComparisonPredicate(format: "a == 1").customSelector == nil)
        #expect(comparison(11).evaluate(with: ["a": Adder()]))
        #expect(!comparison(10).evaluate(with: ["a": Adder()]))
        #expect(!comparison(11).evaluate(with: ["a": 1]))
        #expect(!comparison(11, "unknown:").evaluate(with: ["a": Adder()]))
        #expect(comparison(11) == comparison(11) && comparison(11) != comparison(11, "unknown:"))
        let template = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forVariable: "v"),
            customSelector: "isBelow:")
        #expect(template.withSubstitutionVariables(["v": 11]) == comparison(11))
    }

    /// "The left expression evaluates to a set, the right one to a collection" (Apple's reference of `NSExpression`): so does
    /// the result.
    @Test func operationsOnASetGiveASet() throws {
        let set = NSExpression(forConstantValue: Set([1, 2]))
        let array = NSExpression(forConstantValue: [2, 3])
        func value(_ expression: NSExpression) -> Any? { expression.expressionValue(with: nil, context: nil) }
        #expect(value(NSExpression(forUnionSet: set, with: array)) as? Set<Int> == [1, 2, 3])
        #expect(value(NSExpression(forIntersectSet: set, with: array)) as? Set<Int> == [2])
        #expect(value(NSExpression(forMinusSet: set, with: array)) as? NSSet == NSSet(array: [1]))
        #expect(value(NSExpression(forUnionSet: array, with: set)) as? [Int] == [2, 3, 1])
        #expect(NSPredicate(format: "%@ UNION {3} == {3, 2, 1}", Set([1, 2])).evaluate(with: nil))
    }

    @Test func theColonOfAFunctionMayBeLeftOut() throws {
        #expect(NSExpression(format: "random(5)") == NSExpression(forFunction: "random:", arguments: [5]))
        #expect(NSExpression(format: "random()") == NSExpression(forFunction: "random", arguments: []))
        #expect(NSExpression(format: "sum(a)") == NSExpression(format: "sum:(a)"))
        #expect(try value("canonical('É')") as? String == "e")
    }

    private final class Fetcher: FetchExpressionContext {
        func evaluateFetch(_ request: Any, countOnly: Bool) throws -> Any { countOnly ? 2 : ["a", "b"] }
    }

    @Test func fetchExpressionsAskTheirContext() throws {
        let expression = try NSExpression.parse(format: "FETCH('request', %@, YES)", arguments: [Fetcher()])
        #expect(expression is NSFetchRequestExpression)
        #expect(expression.expressionType == NSFetchRequestExpressionType)
        #expect(expression.expressionType.rawValue == 50)
        #expect(expression.expressionValue(with: nil, context: nil) as? Int == 2)
        let all = try NSExpression.parse(format: "FETCH('request', %@, NO)", arguments: [Fetcher()])
        #expect(all.expressionValue(with: nil, context: nil) as? [String] == ["a", "b"])
    }

    @Test func kindsHaveApplesNumbers() {
        let all: [NSExpression.ExpressionType] = [
            .constantValue, .evaluatedObject, .variable, .keyPath, .function, .unionSet, .intersectSet, .minusSet,
            .subquery,
            .aggregate, .anyKey, .block, .conditional,
        ]
        #expect(all.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 19, 20])
    }

    @Test func everyInitialiserGivesItsKindAndParts() {
        let a = NSExpression(forKeyPath: "a")
        let one = NSExpression(forConstantValue: 1)
        #expect(one.expressionType == .constantValue && one.constantValue as? Int == 1)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(a.expressionType == .keyPath && a.keyPath == "a" && a.operand.expressionType == .evaluatedObject)
        #expect(NSExpression(forVariable: "v").variable == "v")
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        #expect(NSExpression.expressionForAnyKey().expressionType == .anyKey)
        let function = NSExpression(forFunction: "add:to:", arguments: [a, 2])
        #expect(function.expressionType == .function && function.function == "add:to:")
        #expect(function.arguments?.count == 2 && function.arguments?.last?.constantValue as? Int == 2)
        let method = NSExpression(forFunction: a, selectorName: "x:", arguments: [1])
        #expect(method.operand == a && method.function == "x:" && method.arguments == [one])
        let aggregate = NSExpression(forAggregate: [a, 1])
        #expect(aggregate.expressionType == .aggregate && aggregate.collection as? [NSExpression] == [a, one])
        for (set, type) in [
            (NSExpression(forUnionSet: a, with: one), NSExpression.ExpressionType.unionSet),
            (NSExpression(forIntersectSet: a, with: one), .intersectSet),
            (NSExpression(forMinusSet: a, with: one), .minusSet),
        ] {
            #expect(set.expressionType == type && set.left == a && set.right == one)
        }
        let predicate = NSPredicate(value: true)
        let subquery = NSExpression(forSubquery: a, usingIteratorVariable: "x", predicate: predicate)
        #expect(subquery.expressionType == .subquery && subquery.variable == "x" && subquery.predicate == predicate)
        #expect(subquery.collection as? NSExpression == a)
        let conditional = NSExpression(forConditional: predicate, trueExpression: a, falseExpression: one)
        #expect(conditional.expressionType == .conditional && conditional.true == a && conditional.false == one)
        #expect(NSExpression(format: "a + %d", 1) == NSExpression(forFunction: "add:to:", arguments: [a, one]))
    }

    @Test func derivationsThatEndInAnOperatorAreFunctions() throws {
        #expect(try NSExpression.derivation(format: "pages.@count").description == "count:(pages)")
        #expect(
            try NSExpression.derivation(format: "articles.wordCount.@sum").description == "sum:(articles.wordCount)")
        #expect(try NSExpression.derivation(format: "canonical:(name)").description == "canonical:(name)")
        #expect(try NSExpression.derivation(format: "now()").description == "now()")
        #expect(try NSExpression.derivation(format: "owner.name").description == "owner.name")
    }

    @Test func aClientsSubclassComputesItself() {
        final class Seven: NSExpression {
            init() { super.init(expressionType: .block) }
            override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? { 7 }
        }
        let predicate = NSComparisonPredicate(
            leftExpression: Seven(), rightExpression: NSExpression(forConstantValue: 7), modifier: .direct,
            type: .equalTo)
        #expect(predicate.evaluate(with: nil))
    }
}

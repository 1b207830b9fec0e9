import Foundation
import FoundationBackfill
import Testing

/// Truth tables of comparisons in memory, after Apple's Predicate Programming Guide.
@Suite struct PredicateEvaluationTests {
    private func holds(_ format: String, _ arguments: Any..., for object: [String: Any] = [:]) throws -> Bool {
        try NSPredicate.parse(format: format, arguments: arguments).evaluate(with: object)
    }

    @Test func nilEqualsOnlyNil() throws {
        #expect(try holds("a == nil"))
        #expect(try !holds("a != nil"))
        #expect(try holds("a == b"))
        #expect(try !holds("a == nil", for: ["a": 1]))
        #expect(try holds("a != nil", for: ["a": 1]))
        #expect(try holds("a != 'x'"))
        #expect(try holds("a == %@", NSNull()))
    }

    @Test(arguments: ["<", "<=", ">", ">=", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "IN"])
    func nilHasNoOrderAndNoText(operation: String) throws {
        let right = operation == "BETWEEN" ? "{1, 2}" : "'1'"
        #expect(try !holds("a \(operation) \(right)"))
    }

    @Test func boundsOfBetweenBelongToIt() throws {
        for (value, expected) in [(1, false), (2, true), (3, true), (5, true), (6, false)] {
            #expect(try holds("n BETWEEN {2, 5}", for: ["n": value]) == expected)
        }
        #expect(try holds("n BETWEEN %@", [2, 5], for: ["n": 5]))
        #expect(try !holds("n BETWEEN {2, nil}", for: ["n": 5]))
        let day = Date(timeIntervalSinceReferenceDate: 100)
        #expect(try holds("d BETWEEN {%@, %@}", day, day, for: ["d": day]))
    }

    @Test func caseAndAccentsCountUnlessOptionsSayOtherwise() throws {
        let cafe: [String: Any] = ["t": "Café"]
        #expect(try !holds("t CONTAINS 'café'", for: cafe))
        #expect(try holds("t CONTAINS[c] 'café'", for: cafe))
        #expect(try !holds("t CONTAINS[c] 'CAFE'", for: cafe))
        #expect(try holds("t CONTAINS[cd] 'CAFE'", for: cafe))
        #expect(try holds("t ==[cd] 'CAFE'", for: cafe))
        #expect(try holds("t BEGINSWITH[d] 'Cafe'", for: cafe))
        #expect(try !holds("t BEGINSWITH[d] 'cafe'", for: cafe))
        #expect(try holds("t ENDSWITH[cd] 'FE'", for: cafe))
        #expect(try holds("t IN[cd] {'x', 'CAFE'}", for: cafe))
        #expect(try holds("t LIKE[cd] 'C?F*'", for: cafe))
        #expect(try holds("t MATCHES[c] 'CAF.'", for: cafe))
        #expect(try !holds("t ==[n] 'café'", for: cafe))
    }

    @Test func likeAndMatchesTakeTheWholeText() throws {
        let object: [String: Any] = ["t": "prefix-middle-suffix"]
        #expect(try holds("t LIKE 'prefix-*'", for: object))
        #expect(try !holds("t LIKE 'prefix-'", for: object))
        #expect(try !holds("t LIKE '*middle'", for: object))
        #expect(try holds("t MATCHES '.*-suffix'", for: object))
        #expect(try !holds("t MATCHES 'middle'", for: object))
        #expect(try holds("t MATCHES 'a|prefix|prefix-.*'", for: object))
    }

    @Test func aFaultyRegularExpressionMatchesNothing() throws {
        #expect(try !holds("t MATCHES '(['", for: ["t": "(["]))
    }

    @Test func membershipInCollectionsAndTexts() throws {
        #expect(try holds("n IN {1, 2}", for: ["n": 2]))
        #expect(try !holds("n IN {1, 2}", for: ["n": 3]))
        #expect(try !holds("n IN {}", for: ["n": 3]))
        #expect(try holds("n IN %@", Set([1, 2]), for: ["n": 2]))
        #expect(try holds("n IN %@", NSOrderedSet(array: [1, 2]), for: ["n": 2]))
        #expect(try holds("n IN %@", ["k": 2], for: ["n": 2]))
        #expect(try holds("a IN {1, nil}"))
        #expect(try !holds("a IN {1, 2}"))
        #expect(try holds("'b' IN t", for: ["t": "abc"]))
        #expect(try holds("t IN 'abc'", for: ["t": "bc"]))
        #expect(try holds("list CONTAINS 2", for: ["list": [1, 2]]))
        #expect(try !holds("list CONTAINS 3", for: ["list": [1, 2]]))
        #expect(try !holds("n IN nil", for: ["n": 1]))
    }

    @Test func largeConstantCollectionsAnswerAsSmallOnes() throws {
        let id = UUID()
        let members: [Any] = [
            "e\u{301}", "é", "ABC", "7", 1, 2.5, NSNull(), id, NSDecimalNumber(string: "0.5"),
            Date(timeIntervalSinceReferenceDate: 9),
        ]
        let values: [Any?] = [
            "é", "e\u{301}", "abc", "ABC", 7, "1", 1, 1.0, true, 2.5, "2.5", nil, id, id.uuidString, 0.5, "0.5", "x", 3,
            UUID(), 9,
            Date(timeIntervalSinceReferenceDate: 9), Data(),
        ]
        for format in ["v IN %@", "v IN[c] %@", "v IN[cd] %@"] {
            let large = try NSPredicate.parse(format: format, arguments: [members])
            for value in values {
                let object: [String: Any] = value.map { ["v": $0] } ?? [:]
                // One by one: each is too small a collection to be looked up by hash.
                let expected = try members.contains {
                    try NSPredicate.parse(format: format, arguments: [[$0]]).evaluate(with: object)
                }
                #expect(large.evaluate(with: object) == expected, "\(String(describing: value)) \(format)")
            }
        }
    }

    @Test func textsThatAreNumbersMeetNumbers() throws {
        // The left value's kind decides; a constant takes the kind of the other side.
        #expect(try holds("t IN %@", [9, 10, 11], for: ["t": "10"]))
        #expect(try holds("t == 10", for: ["t": "10"]))
        #expect(try !holds("t == 10", for: ["t": "010"]))
        #expect(try holds("n == '10'", for: ["n": 10]))
        #expect(try holds("n == '10.0'", for: ["n": 10]))
        #expect(try holds("'10' == n", for: ["n": 10]))
        #expect(try !holds("n == 'ten'", for: ["n": 10]))
        #expect(try holds("n != 'ten'", for: ["n": 10]))
        #expect(try !holds("n < 'ten'", for: ["n": 10]))
        #expect(try holds("n < '9.5'", for: ["n": 9]))
        #expect(try holds("t < 9", for: ["t": "10"]))
    }

    @Test func numbersCompareByValueWhateverTheirType() throws {
        let half = Decimal(string: "0.5") ?? 0
        #expect(try holds("n == 0.5", for: ["n": half]))
        #expect(try holds("n == %@", NSDecimalNumber(string: "0.1"), for: ["n": 0.1]))
        #expect(try holds("n == 1", for: ["n": true]))
        #expect(try holds("n == YES", for: ["n": 1]))
        #expect(try holds("n > 9007199254740992", for: ["n": 9_007_199_254_740_993]))
        #expect(try !holds("n == %@", 9_007_199_254_740_992.0, for: ["n": 9_007_199_254_740_993]))
        #expect(try holds("n > 9223372036854775807", for: ["n": UInt64.max]))
        #expect(try !holds("n == n", for: ["n": Double.nan]))
        #expect(try holds("n < %@", Double.infinity, for: ["n": Int64.max]))
        #expect(try holds("n >= -9223372036854775808", for: ["n": Int64.min]))
    }

    @Test func valuesOfEveryTypeCompare() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        let id = UUID()
        let object: [String: Any] = [
            "date": date, "id": id, "data": Data([1, 2]), "url": URL(string: "https://a.example/b") ?? "", "text": "x",
        ]
        #expect(try holds("date == %@", date as NSDate, for: object))
        #expect(try holds("date < %@", date.addingTimeInterval(0.001), for: object))
        #expect(try holds("date == CAST(1.5, 'NSDate')", for: object))
        #expect(try holds("id == %@", id as NSUUID, for: object))
        #expect(try holds("id == %@", id.uuidString.lowercased(), for: object))
        #expect(try !holds("id == 'x'", for: object))
        #expect(try holds("data == %@", NSData(data: Data([1, 2])), for: object))
        #expect(try holds("url == 'https://a.example/b'", for: object))
        #expect(try holds("url == %@", NSURL(string: "https://a.example/b") as Any, for: object))
        #expect(try !holds("text == %@", date, for: object))
        #expect(try holds("text != %@", date, for: object))
    }

    @Test func quantifiersLookAtTheMembers() throws {
        let parent: [String: Any] = ["kids": [["age": 3], ["age": 9]] as [[String: Any]]]
        #expect(try holds("ANY kids.age > 8", for: parent))
        #expect(try holds("SOME kids.age > 8", for: parent))
        #expect(try !holds("ALL kids.age > 8", for: parent))
        #expect(try holds("ALL kids.age > 2", for: parent))
        #expect(try holds("NONE kids.age > 10", for: parent))
        #expect(try !holds("NONE kids.age > 8", for: parent))
        #expect(try holds("NOT ANY kids.age > 10", for: parent))
        #expect(try holds("ANY kids.age IN {9}", for: parent))
        #expect(try holds("ANY kids.age BETWEEN {1, 3}", for: parent))
    }

    @Test func quantifiersOverNothing() throws {
        for path in ["empty", "missing"] {
            let parent: [String: Any] = ["empty": [Any]()]
            #expect(try !holds("ANY \(path).age == 1", for: parent))
            #expect(try holds("ALL \(path).age == 1", for: parent))
            #expect(try holds("NONE \(path).age == 1", for: parent))
        }
    }

    @Test func anyLooksThroughTwoToManySteps() throws {
        let object: [String: Any] = ["a": [["b": [["n": 1], ["n": 2]]], ["b": [["n": 3]]]] as [[String: Any]]]
        #expect(try holds("ANY a.b.n == 3", for: object))
        #expect(try !holds("ANY a.b.n == 4", for: object))
        #expect(try holds("ALL a.b.n < 4", for: object))
    }

    @Test func membersWithoutAValueCountAsNil() throws {
        let object: [String: Any] = ["kids": [["age": 3], [:]] as [[String: Any]]]
        #expect(try holds("ANY kids.age == nil", for: object))
        #expect(try !holds("ALL kids.age > 1", for: object))
    }

    @Test func subqueriesFilterAndCount() throws {
        let object: [String: Any] = [
            "kids": [["age": 3, "sex": "f"], ["age": 9, "sex": "f"], ["age": 9, "sex": "m"]] as [[String: Any]],
            "limit": 5,
        ]
        #expect(try holds("SUBQUERY(kids, $k, $k.age > 5 AND $k.sex == 'f').@count == 1", for: object))
        #expect(try holds("SUBQUERY(kids, $k, $k.age > limit).@count == 2", for: object))
        #expect(try holds("SUBQUERY(kids, $k, TRUEPREDICATE).@count == kids.@count", for: object))
        #expect(try holds("SUBQUERY(missing, $k, TRUEPREDICATE).@count == 0", for: object))
        let nested = "SUBQUERY(kids, $k, SUBQUERY(kids, $j, $j.age > $k.age).@count == 0).@count == 2"
        #expect(try holds(nested, for: object))
    }

    @Test func precedenceIsNotThenAndThenOr() throws {
        #expect(try holds("1 == 1 OR 1 == 1 AND 1 == 2"))
        #expect(try !holds("(1 == 1 OR 1 == 1) AND 1 == 2"))
        #expect(try !holds("NOT 1 == 1 AND 1 == 2"))
        #expect(try holds("NOT (1 == 1 AND 1 == 2)"))
        #expect(try holds("1 == 2 || !1 == 2 && 1 == 1"))
    }

    @Test func emptyCompoundsAreConstants() {
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: nil))
    }

    @Test func selfIsTheEvaluatedObject() throws {
        #expect(NSPredicate(format: "SELF > 3").evaluate(with: 4))
        #expect(NSPredicate(format: "length >= 3 AND length <= 5").evaluate(with: "four"))
        #expect(!NSPredicate(format: "not self contains '_'").evaluate(with: "a_b"))
        #expect(NSPredicate(format: "%K == 3", "self").evaluate(with: 3))
    }

    @Test func foundationsCollectionsFilter() {
        let names = ["Anna", "Ben", "anton"] as NSArray
        let predicate = NSPredicate(format: "SELF BEGINSWITH[c] 'a'")
        #expect(names.filtered(using: predicate) as? [String] == ["Anna", "anton"])
        #expect(NSSet(array: ["a", "b"]).filtered(using: NSPredicate(format: "SELF == 'a'")).count == 1)
    }

    private final class Record: PredicateComparable {
        let id: String
        init(_ id: String) { self.id = id }
        var predicateIdentity: AnyHashable { id }
    }

    private final class RecordID: NSObject, PredicateComparable {
        let id: String
        init(_ id: String) { self.id = id }
        var predicateIdentity: AnyHashable { id }
    }

    @Test func aRecordEqualsItsIdentity() throws {
        #expect(try holds("parent == %@", RecordID("1"), for: ["parent": Record("1")]))
        #expect(try !holds("parent == %@", RecordID("2"), for: ["parent": Record("1")]))
        #expect(try holds("parent IN %@", [RecordID("2"), RecordID("1")], for: ["parent": Record("1")]))
        #expect(try holds("ANY parents == %@", RecordID("2"), for: ["parents": [Record("1"), Record("2")]]))
    }
}

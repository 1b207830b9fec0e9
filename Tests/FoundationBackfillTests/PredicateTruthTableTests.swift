import FoundationBackfill
import Testing

/// What Apple's documentation says of predicates, case by case, worked out by hand. The pages are those of the archived
/// "Predicate Programming Guide" unless another is named.
@Suite struct PredicateTruthTableTests {
    private let record: [String: Any] = [
        "name": "Élise", "plain": "elise", "age": 30, "half": 0.5, "digits": "30", "list": [1, 2, 3], "empty": [Int](),
        "tags": ["red", "green"], "yes": true,
    ]

    private func check(_ format: String, _ expected: Bool) throws {
        let predicate = try NSPredicate.parse(format: format)
        #expect(predicate.evaluate(with: record) == expected, "\(format)")
    }

    /// "Predicate Format String Syntax", Basic Comparisons: each operator and its other spellings.
    @Test(arguments: [
        ("age = 30", true), ("age == 30", true), ("age = 31", false), ("age >= 30", true), ("age => 30", true),
        ("age >= 31", false), ("age <= 30", true), ("age =< 30", true), ("age <= 29", false), ("age > 29", true),
        ("age > 30", false), ("age < 31", true), ("age < 30", false), ("age != 31", true), ("age <> 31", true),
        ("age <> 30", false), ("age BETWEEN {30, 40}", true), ("age BETWEEN {20, 30}", true),
        ("age BETWEEN {31, 40}", false), ("age BETWEEN {40, 20}", false), ("half BETWEEN {0, 1}", true),
    ])
    func comparisons(format: String, expected: Bool) throws { try check(format, expected) }

    /// The same page, Boolean Value Predicates and Basic Compound Predicates; NOT binds tighter than AND, AND tighter than OR.
    @Test(arguments: [
        ("TRUEPREDICATE", true), ("FALSEPREDICATE", false), ("TRUEPREDICATE AND FALSEPREDICATE", false),
        ("TRUEPREDICATE && TRUEPREDICATE", true), ("FALSEPREDICATE OR TRUEPREDICATE", true),
        ("FALSEPREDICATE || FALSEPREDICATE", false), ("NOT FALSEPREDICATE", true), ("!TRUEPREDICATE", false),
        ("TRUEPREDICATE OR TRUEPREDICATE AND FALSEPREDICATE", true),
        ("(TRUEPREDICATE OR TRUEPREDICATE) AND FALSEPREDICATE", false),
        ("FALSEPREDICATE AND FALSEPREDICATE OR TRUEPREDICATE", true),
        ("FALSEPREDICATE AND (FALSEPREDICATE OR TRUEPREDICATE)", false),
        ("NOT TRUEPREDICATE OR TRUEPREDICATE", true), ("NOT (TRUEPREDICATE OR TRUEPREDICATE)", false),
        ("NOT FALSEPREDICATE AND FALSEPREDICATE", false), ("NOT (FALSEPREDICATE AND FALSEPREDICATE)", true),
    ])
    func logic(format: String, expected: Bool) throws { try check(format, expected) }

    /// The same page, String Comparisons: case and accents count unless `[c]` and `[d]` say otherwise; `?` stands for one
    /// character, `*` for any number; MATCHES and LIKE take the whole text.
    @Test(arguments: [
        ("name == 'elise'", false), ("name ==[c] 'élise'", true), ("name ==[c] 'elise'", false),
        ("name ==[d] 'Elise'", true), ("name ==[d] 'elise'", false), ("name ==[cd] 'ELISE'", true),
        ("name BEGINSWITH 'É'", true), ("name BEGINSWITH 'e'", false), ("name BEGINSWITH[cd] 'e'", true),
        ("name ENDSWITH 'se'", true), ("name ENDSWITH 'SE'", false), ("name ENDSWITH[c] 'SE'", true),
        ("name CONTAINS 'lis'", true), ("name CONTAINS 'LIS'", false), ("name CONTAINS[cd] 'ELI'", true),
        ("plain LIKE 'e*'", true), ("plain LIKE 'e'", false), ("plain LIKE '?lise'", true),
        ("plain LIKE '?elise'", false),
        ("plain LIKE '*elise*'", true), ("plain LIKE 'E*'", false), ("plain LIKE[c] 'E*'", true),
        ("name LIKE[cd] 'e?ise'", true), ("plain MATCHES 'e.*'", true), ("plain MATCHES 'l.*'", false),
        ("plain MATCHES[c] 'E[a-z]+'", true), ("plain MATCHES '[a-d]+'", false),
        ("plain ==[cn] 'ELISE'", false), ("plain ==[cn] 'elise'", true), ("plain MATCHES[cn] 'E.*'", false),
        ("plain IN {'elise', 'x'}", true), ("'lis' IN plain", true), ("name IN[cd] {'ELISE'}", true),
    ])
    func texts(format: String, expected: Bool) throws { try check(format, expected) }

    /// "Using Predicates", Using Null Values: a comparison matches null with nothing but null.
    @Test(arguments: [
        ("missing == nil", true), ("missing == NULL", true), ("missing != nil", false), ("age == nil", false),
        ("age != nil", true), ("missing == 0", false), ("missing == ''", false), ("missing != 0", true),
        ("missing < 1", false), ("missing > -1", false), ("missing <= 0", false), ("missing BETWEEN {0, 1}", false),
        ("missing IN {1, 2}", false), ("missing CONTAINS 'a'", false), ("missing LIKE '*'", false),
        ("missing BEGINSWITH ''", false), ("NOT missing == 1", true), ("missing.name == nil", true),
    ])
    func null(format: String, expected: Bool) throws { try check(format, expected) }

    /// "Predicate Format String Syntax", Aggregate Operations: ANY and SOME, ALL, NONE as NOT ANY; nothing holds for any member of
    /// an empty collection, and everything for all of its members.
    @Test(arguments: [
        ("ANY list == 2", true), ("ANY list == 4", false), ("SOME list > 2", true), ("ALL list > 0", true),
        ("ALL list > 1", false), ("NONE list == 4", true), ("NONE list == 2", false), ("NONE list > 0", false),
        ("ANY empty == 1", false), ("SOME empty != 1", false), ("ALL empty == 1", true), ("NONE empty == 1", true),
        ("ANY tags BEGINSWITH[c] 'R'", true), ("ALL tags CONTAINS 'e'", true), ("ALL tags CONTAINS 'g'", false),
        ("ANY list IN {3, 4}", true), ("2 IN list", true), ("4 IN list", false), ("list CONTAINS 3", true),
        ("list[0] == 1", true), ("list[FIRST] == 1", true), ("list[LAST] == 3", true), ("list[SIZE] == 3", true),
        ("empty[SIZE] == 0", true), ("list[9] == nil", true),
    ])
    func quantifiers(format: String, expected: Bool) throws { try check(format, expected) }

    /// The same page, Literals: `TRUE`/`YES`, `FALSE`/`NO`, quotes of both kinds, hexadecimal, octal and binary numbers; and
    /// numbers meet texts that are numbers.
    @Test(arguments: [
        ("yes == TRUE", true), ("yes == YES", true), ("yes == 1", true), ("yes == NO", false), ("FALSE == 0", true),
        ("0x1E == age", true), ("0o36 == age", true), ("0b11110 == age", true), ("3e1 == age", true),
        ("plain == \"elise\"", true), ("plain == 'elise'", true), ("'it\\'s' == \"it's\"", true),
        ("digits == 30", true), ("digits == '30'", true), ("age == '30'", true), ("age == '30x'", false),
        ("half == 1.0 / 2", true), ("age == 30.0", true), ("age + 1 == 31", true), ("2 ** 3 ** 1 == 8", true),
        ("1 + 2 * 3 == 7", true), ("(1 + 2) * 3 == 9", true), ("-age == 0 - 30", true),
    ])
    func literals(format: String, expected: Bool) throws { try check(format, expected) }

    /// "Collection Operators" of the "Key-Value Coding Programming Guide".
    @Test(arguments: [
        ("list.@count == 3", true), ("empty.@count == 0", true), ("list.@sum.self == 6", true),
        ("list.@avg.self == 2", true), ("list.@max.self == 3", true), ("list.@min.self == 1", true),
        ("empty.@sum.self == 0", true), ("empty.@max.self == nil", true), ("tags.@max.self == 'red'", true),
        ("tags.@distinctUnionOfObjects.length == {3, 5}", true),
    ])
    func operators(format: String, expected: Bool) throws { try check(format, expected) }
}

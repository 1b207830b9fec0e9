import FoundationBackfill
import Testing

/// Predicates, expressions and sort descriptors in archives that require secure coding.
@Suite struct CodingTests {
    private func data(_ object: NSObject & NSCoding) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    @Test(arguments: [
        "name BEGINSWITH[cd] 'x' AND NOT (age > 3 OR ANY tags.name IN {'a', 'b'})", "age BETWEEN {1, 2}",
        "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY(a, $x, $x.b == $v).@count > 0", "a == CAST(0.5, \"NSDate\")",
        "NOT a == nil", "a + 1.5 < b", "TERNARY(a == 1, 2, 3) == 2",
    ])
    func predicates(format: String) throws {
        let predicate = NSPredicate(format: format)
        let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data(predicate))
        #expect(back?.formatText == predicate.formatText)
        #expect(back == predicate)
    }

    @Test func constantsOfEveryType() throws {
        let constants: [Any] = [
            Date(timeIntervalSinceReferenceDate: 1.25), UUID(), Data([1, 2]), "ü\"\\", 7, 0.1, true, NSNull(),
            Decimal(string: "1.5") ?? 0, ["a", 1] as [Any],
        ]
        for constant in constants {
            let predicate = NSPredicate(format: "a == %@", argumentArray: [constant])
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data(predicate))
            #expect(back == predicate)
        }
    }

    @Test func foundationsCompoundsAndThoseInCollections() throws {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]
        for members in [parts, [parts[0]]] {
            let compound = NSCompoundPredicate(orPredicateWithSubpredicates: members)
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSCompoundPredicate.self, from: data(compound))
            #expect(back?.evaluate(with: ["a": 1, "b": 0]) == true)
            #expect(back?.evaluate(with: ["a": 0, "b": 0]) == false)
            #expect(back?.evaluate(with: ["a": 0, "b": 2]) == (members.count == 2))
        }
        let list = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSPredicate.self], from: data(NSArray(array: parts)))
        #expect(list as? [NSPredicate] == parts)
    }

    @Test func whatAFormatCannotSayStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = try NSKeyedArchiver.archivedData(
                withRootObject: NSPredicate { _, _ in true }, requiringSecureCoding: true)
        }
        await #expect(processExitsWith: .failure) {
            let descriptor = NSSortDescriptor(key: "a", ascending: true) { _, _ in .orderedSame }
            _ = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
        }
    }

    @Test(arguments: ["a.b", "sum:({1, 2})", "$x", "SELF", "'text'", "a[SIZE]", "now()", "{1, a}"])
    func expressions(format: String) throws {
        let expression = NSExpression(format: format)
        let back = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSExpression.self, from: data(expression))
        #expect(back == expression)
    }

    @Test func sortDescriptors() throws {
        let descriptors = [
            NSSortDescriptor(key: "a.b", ascending: false), NSSortDescriptor(key: nil, ascending: true),
            NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:"),
        ]
        let back = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSSortDescriptor.self], from: data(NSArray(array: descriptors)))
        #expect(back as? [NSSortDescriptor] == descriptors)
    }

    @Test func anArchiveWithAFaultyFormatIsAnError() throws {
        let good = try data(NSPredicate(format: "a == 'needle'"))
        var list = try #require(
            try PropertyListSerialization.propertyList(from: good, format: nil) as? [String: Any])
        let objects = try #require(list["$objects"] as? [Any])
        list["$objects"] = objects.map { ($0 as? String)?.contains("needle") == true ? "a == 'needle" : $0 }
        let bad = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let error = #expect(throws: CocoaError.self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: bad)
        }
        #expect(error?.code == .coderReadCorrupt)
    }
}

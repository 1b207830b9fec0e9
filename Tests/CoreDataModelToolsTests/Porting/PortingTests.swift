import Foundation
import Testing

@testable import CoreDataModelTools

/// A source after porting, given other sources that declare its types.
private func ported(_ text: String, with others: String...) throws -> String {
    try String(decoding: port(text, others).contents, as: UTF8.self)
}

private func port(_ text: String, _ others: [String] = []) throws -> PortedSource {
    let source = try PortableSource(Data(text.utf8))
    var types = PortedTypes()
    types.add(source)
    for other in others { types.add(try PortableSource(Data(other.utf8))) }
    return source.port(types)
}

struct AttributePortingTests {
    @Test func anAttributeOnItsOwnLineIsWrapped() throws {
        #expect(
            try ported("class A {\n    @objc\n    var x = 0\n}\n")
                == "class A {\n    #if canImport(ObjectiveC)\n    @objc\n    #endif\n    var x = 0\n}\n")
    }

    @Test func whatFollowsOnTheLineMovesToTheNext() throws {
        #expect(
            try ported("  @objc dynamic var x = 0 // x\n")
                == "  #if canImport(ObjectiveC)\n  @objc\n  #endif\n  dynamic var x = 0 // x\n")
    }

    @Test func otherAttributesStayAround() throws {
        #expect(
            try ported("\t@NSManaged @objc(isDone) public var done: Bool")
                == "\t@NSManaged\n\t#if canImport(ObjectiveC)\n\t@objc(isDone)\n\t#endif\n\tpublic var done: Bool")
    }

    @Test func attributesInARowShareOneCondition() throws {
        #expect(
            try ported("@objc(A) @objcMembers\nfinal class A {}")
                == "#if canImport(ObjectiveC)\n@objc(A) @objcMembers\n#endif\nfinal class A {}")
    }

    @Test func modifiersBeforeTheAttributeGoBehindIt() throws {
        #expect(
            try ported("  public private(set) @objc(y) var x = 0")
                == "  #if canImport(ObjectiveC)\n  @objc(y)\n  #endif\n  public private(set) var x = 0")
        #expect(
            try ported("public\n@objc class A {}") == "#if canImport(ObjectiveC)\n@objc\n#endif\npublic\nclass A {}")
    }

    @Test func attributesOnBothSidesOfAModifierAreWrappedEach() throws {
        let text = try ported("@objc public @objcMembers class A {}")
        #expect(text.hasSuffix("#endif\npublic class A {}"))
        #expect(try ported(text) == text)
    }

    @Test func aNameThatIsAlsoAModifierIsNoneOnTheLineBefore() throws {
        let text = "enum E { case open\n  @objc(f) func f() {} }"
        #expect(try ported(text).hasPrefix("enum E { case open\n  #if canImport"))
    }

    @Test func commentsStay() throws {
        #expect(
            try ported("/// A.\n@objc // why\nclass A {}")
                == "/// A.\n#if canImport(ObjectiveC)\n@objc\n#endif // why\nclass A {}")
        #expect(
            try ported("/* a */ @objc /* b */ class A {}")
                == "/* a */\n#if canImport(ObjectiveC)\n@objc\n#endif\n/* b */ class A {}")
    }

    @Test func accessorsMayHaveOne() throws {
        #expect(
            try ported("var w: Int { @objc(isW) get { 1 } }")
                == "var w: Int {\n#if canImport(ObjectiveC)\n@objc(isW)\n#endif\nget { 1 } }")
    }

    @Test(arguments: [
        "@objc enum E: Int { case a }", "@objc public enum E: Int { @objc(x) case a }", "@nonobjc func f() {}",
        "dynamic var x = 0", "// @objc", "/* @objc /* nested */ @objc */", "let s = \"@objc #keyPath(A.b)\"",
        "let s = #\"@objc \\(#keyPath(A.b))\"#", "let s = \"\"\"\n@objc\n\"\"\"", "let r = /@objc/", "let objc = 1",
        "#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}", "#if os(iOS) || os(macOS)\n@objc class A {}\n#endif",
        "#if os(Linux)\n#else\n@objc class A {}\n#endif", "#if !os(Linux) && DEBUG\n@objc class A {}\n#endif",
        "#if os(Linux)\n#elseif DEBUG\n@objc class A {}\n#endif",
        "#if canImport(UIKit)\n#if DEBUG\n@objc class A {}\n#endif\n#endif",
    ])
    func whatLinuxTakesOrNeverSeesStays(_ text: String) throws {
        let result = try port(text)
        #expect(result.findings.isEmpty)
        #expect(!result.isChanged)
        #expect(result.contents == Data(text.utf8))
        #expect(result.difference() == [])
    }

    @Test(arguments: [
        "#if DEBUG\n@objc class A {}\n#endif", "#if os(iOS)\n#else\n@objc class A {}\n#endif",
        "#if canImport(ObjectiveC)\n#elseif X\n@objc class A {}\n#endif",
        "#if !canImport(ObjectiveC)\n@objc class A {}\n#endif",
        "#if swift(>=5.0)\n@objc class A {}\n#endif", "#if os(iOS) // no\n#endif\n@objc class A {}",
    ])
    func whatLinuxMaySeeIsWrapped(_ text: String) throws {
        #expect(try port(text).findings.map(\.kind) == [.objc])
    }

    @Test func portingTwiceChangesNothingMore() throws {
        let once = try ported("@objc(A) final class A: NSObject {\n  public @objc var x = 0 ; @objc func f() {}\n}\n")
        #expect(try ported(once) == once)
        #expect(try port(once).findings.isEmpty)
    }

    @Test func lineEndsAndMarksStay() throws {
        let text = "\u{FEFF}@objc class A {\r\n  @objc var x = 0\r\n}\r\n"
        #expect(
            try ported(text)
                == "\u{FEFF}#if canImport(ObjectiveC)\r\n@objc\r\n#endif\r\nclass A {\r\n"
                + "  #if canImport(ObjectiveC)\r\n  @objc\r\n  #endif\r\n  var x = 0\r\n}\r\n")
    }

    @Test func optionalRequirementsAreLeftToPeople() throws {
        let result = try port("@objc protocol P {\n  @objc optional func f()\n}")
        #expect(result.findings.map(\.kind) == [.objc, .optionalRequirement])
        #expect(result.findings.map { $0.advice == nil } == [true, false])
        #expect(
            String(decoding: result.contents, as: UTF8.self).hasSuffix("protocol P {\n  @objc optional func f()\n}"))
    }

    @Test func placesCountAsTheCompilersDo() throws {
        let findings = try port("// ä\n  let ä = 1; @objc class A {}\n").findings
        #expect(findings.map { "\($0.line):\($0.column) \($0.text)" } == ["2:15 @objc"])
    }

    @Test func otherEncodingsAreRefused() {
        for data in [Data([0x40, 0xE4]), Data([0xFF, 0xFE, 0x40, 0])] {
            #expect(throws: PortableSource.Refusal.self) { try PortableSource(data) }
        }
    }
}

struct KeyPathPortingTests {
    private let person = """
        class Person: NSManagedObject {
          @NSManaged var name: String?
          @NSManaged @objc(isGrown) var grown: Bool
          @NSManaged var boss: Person?
          @NSManaged var friends: Set<Person>
          @NSManaged var `class`: String
          @NSManaged private(set) var address: Address
        }
        class Child: Person {}
        class Address: NSObject { @objc var street = "" }
        """

    private func expression(_ text: String) throws -> String { try ported(text, with: person) }

    @Test(arguments: [
        ("#keyPath(Person.name)", "\"name\""), ("#keyPath( Person . name )", "\"name\""),
        ("#keyPath(Person.boss.name)", "\"boss.name\""),
        ("#keyPath(Person.friends.boss.name)", "\"friends.boss.name\""),
        ("#keyPath(Child.name)", "\"name\""), ("#keyPath(Module.Person.name)", "\"name\""),
        ("#keyPath(Person.grown)", "\"isGrown\""), ("#keyPath(Person.boss.grown)", "\"boss.isGrown\""),
        ("#keyPath(Person.`class`)", "\"class\""), ("#keyPath(Person.address.street)", "\"address.street\""),
        ("f(\"\\(#keyPath(Person.name)) == %@\", x)", "f(\"\\(\"name\") == %@\", x)"),
        ("extension Person { let k = #keyPath(name) }", "extension Person { let k = \"name\" }"),
        (
            "class Boss: Person { func f() { g { #keyPath(boss.name) } } }",
            "class Boss: Person { func f() { g { \"boss.name\" } } }"
        ),
    ])
    func aPathOfManagedObjectsBecomesAText(_ text: String, _ expected: String) throws {
        #expect(try expression(text) == expected)
    }

    @Test(arguments: [
        "#keyPath(UIView.frame)", "#keyPath(Person.isDeleted)", "#keyPath(Person.name.length)", "#keyPath(name)",
        "#keyPath(Person)", "#keyPath(Address.street)", "#keyPath()", "#keyPath(Person.unknown)", "#keyPath",
    ])
    func whatIsNotKnownIsLeftToPeople(_ text: String) throws {
        let result = try port(text, [person])
        #expect(!result.isChanged)
        #expect(result.findings.allSatisfy { $0.kind == .keyPath && $0.advice != nil })
        #expect(result.findings.count == (text == "#keyPath" ? 0 : 1))
    }

    @Test func comparisonsOfTextsAreSelectorsByName() throws {
        #expect(
            try expression(
                "NSSortDescriptor(key: \"a\", ascending: true, selector: #selector(NSString.caseInsensitiveCompare(_:)))"
            )
                == "NSSortDescriptor(key: \"a\", ascending: true, selector: Selector((\"caseInsensitiveCompare:\")))")
        #expect(
            try expression("#selector(NSString.localizedStandardCompare)")
                == "Selector((\"localizedStandardCompare:\"))")
        let result = try port("#selector(tap(_:))")
        #expect(result.findings.map(\.kind) == [.selector])
        #expect(!result.isChanged)
    }
}

struct PortingDifferenceTests {
    @Test func theDifferenceIsAPatch() throws {
        let lines = (1...20).map { "// \($0)" }
        var text = lines
        text.insert("@objc class A {}", at: 10)
        text.insert("@objc class B {}", at: 2)
        #expect(
            try port(text.joined(separator: "\n")).difference() == [
                "@@ -1,6 +1,9 @@", " // 1", " // 2", "-@objc class B {}", "+#if canImport(ObjectiveC)", "+@objc",
                "+#endif",
                "+class B {}", " // 3", " // 4", " // 5",
                "@@ -9,7 +12,10 @@", " // 8", " // 9", " // 10", "-@objc class A {}", "+#if canImport(ObjectiveC)",
                "+@objc",
                "+#endif", "+class A {}", " // 11", " // 12", " // 13",
            ])
    }

    @Test func aMissingLineEndIsSaid() throws {
        #expect(
            try port("@objc class A {}").difference() == [
                "@@ -1,1 +1,4 @@", "-@objc class A {}", "\\ No newline at end of file", "+#if canImport(ObjectiveC)",
                "+@objc",
                "+#endif", "+class A {}", "\\ No newline at end of file",
            ])
    }
}

struct HostileSourceTests {
    private let sample = """
        #if DEBUG && (os(Linux) || !canImport(UIKit))
        @objc(A) public final class A: NSManagedObject { @objc var x = "\\(#keyPath(A.x + "\\(y)")) \\"" }
        #endif
        let r = #/a"b/#, t = \"\"\"
          \\(#selector(NSString.compare(_:)))
          \"\"\" /* /* */ */
        """

    @Test func anyPartOfASourceIsRead() throws {
        let bytes = Array(sample.utf8)
        for count in 0...bytes.count {
            for part in [bytes.prefix(count), bytes.suffix(count)] {
                _ = try port(String(decoding: part, as: UTF8.self))
            }
        }
    }

    @Test func anyOrderOfItsPiecesIsRead() throws {
        var random = SystemRandomNumberGenerator()
        let bytes = Array(sample.utf8)
        for _ in 0..<300 {
            var mixed = bytes
            for _ in 0..<12 {
                mixed.swapAt(.random(in: mixed.indices, using: &random), .random(in: mixed.indices, using: &random))
            }
            let result = try port(String(decoding: mixed, as: UTF8.self))
            _ = (result.contents, result.difference())
        }
    }

    @Test(arguments: [
        "(", "{", "/*", "\"\\(", "#if ", "#if (", "#if !", "@objc(", "\"\"\"", "#keyPath(", "#", "`", "A.",
    ])
    func deepNestingIsRead(_ piece: String) throws {
        _ = try port(String(repeating: piece, count: 20_000))
    }
}

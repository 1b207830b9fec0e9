import Foundation
import TestSupport
import Testing

@testable import CoreDataModelTools

struct ManagedCodeTests {
    func generate(
        _ source: String, dependencies: [(module: String, sources: [ManagedCodeGenerator.Source])] = []
    ) -> (text: String, diagnostics: [ManagedCodeGenerator.Diagnostic]) {
        var generator = ManagedCodeGenerator(
            module: "App", sources: [.init(path: "/src/File.swift", text: source)], dependencies: dependencies,
            generated: [])
        let (file, diagnostics) = generator.generate()
        return (file.contents, diagnostics)
    }

    func errors(_ source: String) -> [String] { generate(source).diagnostics.map(\.description) }

    // MARK: Errors

    @Test func anUnknownTypeIsAnErrorWithPlacePropertyAndWayOut() throws {
        let error = try #require(errors("\nclass A: NSManagedObject {\n    @NSManaged var x: Mystery?\n}").first)
        #expect(error.hasPrefix("/src/File.swift:3: error: A.x: "))
        #expect(
            error.contains("'Mystery'") && error.contains("_ManagedProperty(\"x\")")
                && error.contains("var x: Mystery?"))
    }

    @Test(arguments: [
        ("class A: NSManagedObject { @NSManaged var x: (Int) -> Void }", "is a function"),
        ("class A: NSManagedObject { @NSManaged var x: (Int, Int) }", "is a tuple"),
        ("class A: NSManagedObject { @NSManaged static var x: Int }", "it is static"),
        ("class A<T>: NSManagedObject { @NSManaged var x: Int }", "A is generic"),
        ("private class A: NSManagedObject { @NSManaged var x: Int }", "A is private"),
        ("class A: NSManagedObject { private enum E: Int { case a }; @NSManaged private var x: E }", "is private"),
        ("extension Unseen { @NSManaged var x: Int }", "class Unseen is not found"),
        ("struct A { @NSManaged var x: Int }", "A is no class"),
        ("class A: NSManagedObject { @NSManaged var x }", "needs a type"),
        ("class A: NSManagedObject { @NSManaged func doIt(_ x: Int) }", "none of the methods"),
        ("class A: NSManagedObject { @NSManaged func addToB(_ x: A) async }", "none of the methods"),
        ("class A: NSManagedObject { @NSManaged func addToB(_ x: Int) }", "takes parameters of these types"),
        ("struct G<T> {}; class A: NSManagedObject { @NSManaged var x: G<Int>? }", "is generic"),
        ("typealias L = M; typealias M = L; class A: NSManagedObject { @NSManaged var x: L }", "circle"),
    ])
    func whatCannotBeDoneIsAnError(_ source: String, _ reason: String) {
        let errors = errors(source)
        #expect(errors.count == 1 && errors[0].contains(reason), "\(errors)")
    }

    @Test func codeForElsewhereIsLeftToTheCompiler() {
        let (text, diagnostics) = generate(
            "class A: NSManagedObject {\n#if os(macOS)\n@NSManaged var x: NSImage?\n#endif\n}")
        #expect(diagnostics.isEmpty)
        #expect(text.contains("#if (os(macOS))\n    #error(\"/src/File.swift:3: A.x:"))
    }

    @Test func aRuleThatCannotBeCalledIsAWarning() {
        let (text, diagnostics) = generate(
            "class A: NSManagedObject {\n private func validateX(_ v: inout Any?) throws {}\n func validateY(_ v: inout Any?) throws {} }"
        )
        #expect(diagnostics.map(\.isError) == [false] && diagnostics.map(\.line) == [2])
        #expect(!text.contains("validateX(") && text.contains("_registerRule(\"Y\")"))
    }

    // MARK: Meaning of names

    func symbols(_ source: String, dependencies: [(module: String, sources: [ManagedCodeGenerator.Source])] = [])
        -> [String]
    {
        SymbolTests.generated(generate(source, dependencies: dependencies).text).filter { $0.hasSuffix("g") }.sorted()
    }

    @Test func typesOfOtherModulesAreFound() {
        let kit = (
            "Kit",
            [
                ManagedCodeGenerator.Source(
                    path: "k", text: "public enum Mood: Int { case a }\nenum Hidden: Int { case a }")
            ]
        )
        #expect(
            symbols("import Kit\nclass A: NSManagedObject { @NSManaged var x: Mood }", dependencies: [kit])
                == ["$s3App1AC1x3Kit4MoodOvg"])
        #expect(
            generate("class A: NSManagedObject { @NSManaged var x: Hidden }", dependencies: [kit]).diagnostics.count
                == 1)
    }

    @Test func inheritedTypesComeBeforeThoseOfTheModule() {
        #expect(
            symbols(
                "enum Kind: Int { case a }\nclass A: NSManagedObject { enum Kind: Int { case a } }\n"
                    + "class B: A { @NSManaged var x: Kind }") == ["$s3App1BC1xAA1AC4KindOvg"])
    }

    @Test func anOwnTypeHidesFoundations() {
        #expect(
            symbols("struct Date {}\nclass A: NSManagedObject { @NSManaged var x: Date? }") == [
                "$s3App1AC1xAA4DateVSgvg"
            ])
        let text = generate(
            "class A: NSManagedObject { enum Date: Int { case a }\n @NSManaged var x: Foundation.Date? }"
        ).text
        #expect(text.contains("-> Foundation.Date?"))
    }

    @Test func aMemberOfAnotherModulesClassNamesBothModules() {
        let kit = (
            "Kit", [ManagedCodeGenerator.Source(path: "k", text: "import CoreData\nopen class A: NSManagedObject {}")]
        )
        #expect(
            symbols("import Kit\nextension A { @NSManaged var x: String? }", dependencies: [kit]) == [
                "$s3Kit1AC3AppE1xSSSgvg"
            ])
    }

    // MARK: Text

    @Test func importsAreThoseOfTheFilesWithManagedCode() {
        let (text, _) = generate(
            "internal import Kit\n@testable import Lab\nclass A: NSManagedObject { @NSManaged var x: Int }")
        #expect(text.contains("\ninternal import Kit\n@testable import Lab\nimport CoreData\nimport Foundation\n"))
    }

    @Test func theAliasesAreWrittenUnlessTheSourcesHaveThem() {
        #expect(generate("").text.contains("public typealias NSExpression = CoreData.NSExpression"))
        let (text, _) = generate("typealias NSExpression = CoreData.NSExpression")
        #expect(!text.contains("typealias NSExpression") && text.contains("typealias NSComparisonPredicate"))
    }

    @Test func keyPathsOfInheritedPropertiesAreRegisteredForSubclasses() {
        let (text, _) = generate(
            "class A: NSManagedObject { @NSManaged var x: Int; @NSManaged private var y: Int; @NSManaged var primitiveX: Int }\n"
                + "class B: A { @NSManaged var z: Int }")
        #expect(text.contains("names.add(\\A.x, \"x\")") && text.contains("names.add(\\B.x, \"x\")"))
        #expect(text.contains("names.add(\\B.z, \"z\")"))
        #expect(!text.contains("\\A.y") && !text.contains("\\A.primitiveX"))
    }

    @Test func methodsSayWhatTheyDo() {
        func action(_ declaration: String) -> String? {
            let method = SourceScanner.scan("extension A { @NSManaged func \(declaration) }", path: "").types[0]
                .methods[0]
            return ToManyMethod(method).map { "\($0.action) \($0.relationship)" }
        }
        #expect(action("addToTags(_ v: Tag)") == "add tags" && action("removeFromTags(_ v: NSSet)") == "remove tags")
        #expect(
            action("removeFromTags(at i: Int)") == "removeAt tags"
                && action("replaceTags(at i: Int, with v: Tag)") == "replace tags")
        #expect(action("addTagsObject(_ v: Tag)") == "add tags" && action("addTags(_ v: NSSet)") == "add tags")
        #expect(action("insertObject(_ v: Tag, inTagsAtIndex i: Int)") == "insert tags")
        #expect(action("removeObjectFromTagsAtIndex(_ i: Int)") == "removeAt tags")
        #expect(action("address(_ v: Tag)") == nil && action("fetch(_ v: Tag)") == nil)
    }
}

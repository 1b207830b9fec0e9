import Testing

@testable import CoreDataModelTools

struct ScannerTests {
    func scan(_ source: String) -> SourceFile { SourceScanner.scan(source, path: "/src/File.swift") }

    @Test func propertiesAreFoundWithLineTypeAndAccess() {
        let file = scan(
            """
            class Book: NSManagedObject {
                @NSManaged public private(set) var title: String?
                @NSManaged fileprivate dynamic var primitiveTitle: Swift.String?
                @NSManaged var a, b: Int16, tags: Set<Tag>
                var computed: Int { 1 }
                let stored = [1: "}"]
            }
            """)
        let properties = file.types[0].properties
        #expect(properties.map(\.name) == ["title", "primitiveTitle", "a", "b", "tags"])
        #expect(properties.map(\.line) == [2, 3, 4, 4, 4])
        #expect(properties.map(\.type.text) == ["String?", "Swift.String?", "Int16", "Int16", "Set<Tag>"])
        #expect(properties.map(\.access) == [.public, .fileprivate, .internal, .internal, .internal])
    }

    @Test func typesOfAllFormsAreRead() {
        let types = [
            "[String: [Int]]?": "[String: [Int]]?", "(any P)?": "P?", "Optional<Set<A.B>>": "Optional<Set<A.B>>",
            "String!": "String?", "(Int) -> Void": "a function", "() async throws -> T": "a function",
            "A & B":
                "a composition of protocols", "(Int, String)": "(Int, String)", "A.Type": "a metatype",
        ]
        for (written, text) in types {
            let file = scan("class A: B { @NSManaged var x: \(written)\n @NSManaged var y: Int }")
            #expect(file.types[0].properties.map(\.type.text) == [text, "Int"], "\(written)")
        }
    }

    @Test func nestedTypesAndExtensionsHaveTheirPaths() {
        let file = scan(
            """
            enum Outer { class Inner: NSManagedObject { @NSManaged var x: Int32 } }
            extension Outer.Inner { @NSManaged var y: Int32 }
            public extension Outer.Inner { @NSManaged var z: Int32; @NSManaged internal var w: Int32 }
            private extension Outer.Inner { @NSManaged var v: Int32 }
            """)
        let found = file.types.flatMap { type in
            type.properties.map { (type.path.joined(separator: "."), $0.name, $0.access) }
        }
        #expect(found.map(\.0) == Array(repeating: "Outer.Inner", count: 5))
        #expect(found.map(\.1) == ["x", "y", "z", "w", "v"])
        #expect(found.map(\.2) == [.internal, .internal, .public, .internal, .fileprivate])
    }

    @Test func conditionsAreKept() {
        let file = scan(
            """
            class A: NSManagedObject {
            #if DEBUG
                @NSManaged var a: Int32
            #elseif os(Linux)
                @NSManaged var b: Int32
            #else
                @NSManaged var c: Int32
            #endif
                @NSManaged var d: Int32
            }
            #if canImport(ObjectiveC)
            @objc(B)
            #endif
            class B: NSManagedObject {}
            """)
        #expect(
            file.types[0].properties.map(\.condition) == [
                "(DEBUG)", "!(DEBUG) && (os(Linux))", "!(DEBUG) && !(os(Linux))", nil,
            ])
        #expect(file.types[1].path == ["B"] && file.types[1].condition == nil)
    }

    @Test func methodsHaveTheirLabels() {
        let file = scan(
            """
            extension A {
                @objc(addTagsObject:) @NSManaged public func addToTags(_ value: Tag)
                @NSManaged func insertIntoTags(_ values: [Tag], at indexes: NSIndexSet)
                @NSManaged class func odd(x: Int) throws -> Int
            }
            """)
        let methods = file.types[0].methods
        #expect(methods.map(\.fullName) == ["addToTags(_:)", "insertIntoTags(_:at:)", "odd(x:)"])
        #expect(methods.map(\.isStatic) == [false, false, true])
        #expect(methods.map(\.hasEffects) == [false, false, true] && methods.map(\.hasResult) == [false, false, true])
    }

    @Test func rulesAreFoundByTheirForm() {
        let file = scan(
            """
            class A: NSManagedObject {
                func validateName(_ value: inout Any?) throws { }
                func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws { }
                func validateOther(_ value: String) throws { }
                func validateForce(_ value: inout Any?) { }
                override func validateForInsert() throws { }
                override func validateValue(_ value: inout Any?, forKey key: String) throws { }
            }
            """)
        #expect(file.types[0].validators.map(\.name) == ["validateName", "validateAge"])
        #expect(file.types[0].validators.map(\.form) == [.anyValue, .pointer])
    }

    @Test func namesOfCasesAreNoModifiers() {
        let file = scan(
            "enum Door { case open\n class A: B { @NSManaged var x: Int } }\nenum E { case `class`, public }\nstruct S {}"
        )
        #expect(file.types.map(\.access) == [.internal, .internal, .internal, .internal])
    }

    @Test func wordsInBodiesAreNoDeclarations() {
        let file = scan(
            """
            func f() { let class1 = x.class; if a { struct Local {} } }
            let closure = { (extension: Int) in print("class X {") }
            class Real: NSManagedObject {}
            """)
        #expect(file.types.map(\.path) == [["Real"]])
    }

    @Test func aClassInAFunctionIsAProblem() {
        let file = scan("func f() {\n class L: NSManagedObject {\n @NSManaged var x: Int\n }\n}")
        #expect(file.problems.map(\.line) == [3])
    }

    @Test func importsHaveTheirAccessAndKind() {
        let file = scan(
            "import Foundation\n@testable import Kit\n@_exported public import Deep\ninternal import struct Kit.S")
        #expect(file.imports.map(\.what) == ["Foundation", "Kit", "Deep", "struct Kit.S"])
        #expect(file.imports.map(\.module) == ["Foundation", "Kit", "Deep", "Kit"])
        #expect(file.imports.map(\.access) == [.public, .public, .public, .internal])
        #expect(file.imports[1].attributes == ["@testable"] && file.imports[2].isReexport)
    }

    @Test func anythingIsScannedWithoutAFault() {
        let source =
            "class A: B { @NSManaged var x: Set<[Int: (A) -> B]>?; func f(_ a: inout Any?) throws { \"\\(x)\" } } #if Q"
        for start in source.indices {
            for end in source.indices where end >= start { _ = scan(String(source[start..<end])) }
        }
    }
}

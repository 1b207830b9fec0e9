import Foundation
import TestSupport
import Testing

@testable import CoreDataModelTools

/// Symbols are compared with what the compiler leaves undefined in an object file.
struct SymbolTests {
    static let head =
        "import Foundation\nopen class NSManagedObject: NSObject {}\nopen class NSManagedObjectID: NSObject {}\n"

    static let sources = [
        "Types.swift": head + """
            public enum Mood: Int16 { case calm, merry }
            struct Flags: OptionSet { let rawValue: Int32 }
            typealias Money = NSDecimalNumber
            protocol Describing {}
            public class Tag: NSManagedObject {}
            """,
        "Person.swift": """
        import Foundation
        open class Person: NSManagedObject {
            enum Kind: Int32 { case a, b }
            @NSManaged public var name: String?
            @NSManaged var sureName: String, a, b: Int16
            @NSManaged var age: Int32, big: Int64, plain: Int, u8: UInt8
            @NSManaged var flag: Bool, d: Double, f: Float, t: TimeInterval, cg: CGFloat
            @NSManaged var born: Date?, born2: Date, data: Data?, uuid: UUID?, url: Foundation.URL?, decimal: Decimal
            @NSManaged var price: NSDecimalNumber?, money: Money?, number: NSNumber?
            @NSManaged var set: NSSet?, ordered: NSOrderedSet?, tags: Set<Tag>, tags2: Set<Tag>?
            @NSManaged var strings: [String]?, dictionary: [String: String]?, deep: [String: [Int]]
            @NSManaged var any: Any?, object: AnyObject?, coding: NSCoding?, desc: (any Describing)?, error: (any Error)?
            @NSManaged var mood: Mood, mood2: Mood?, kind: Kind, flags: Flags
            @NSManaged public private(set) var privateSetter: String?
            @NSManaged fileprivate var primitiveName: String?
            @NSManaged private var hidden: Date?
            @NSManaged dynamic var dyn: String!
            @NSManaged public final var fin: String?
            @NSManaged package var pack: String?
            @NSManaged var boss: Person?
            @NSManaged var rect: CGRect, range: NSRange, length: Measurement<UnitLength>?
            @NSManaged var größe: Int32, `default`: String?, 日本: Int64
            @NSManaged var personName: String?, namePersonApp: String?, URLString_name_Person: String?, x2_Person2: Int
            @NSManaged public func addToTags(_ value: Tag)
            @NSManaged public func removeFromTags(_ values: NSSet)
            @NSManaged func addToFriends(_ p: Person)
            @NSManaged func addToTags2(_ values: Set<Tag>)
            @NSManaged fileprivate func removeFromTags2(_ value: Tag)
            @NSManaged func insertIntoOrdered(_ value: Tag, at idx: Int)
            @NSManaged func removeFromOrdered(at idx: Int)
            @NSManaged func insertIntoOrdered(_ values: [Tag], at indexes: NSIndexSet)
            @NSManaged func replaceOrdered(at idx: Int, with value: Tag)
            @NSManaged func replaceOrdered(at indexes: NSIndexSet, with values: [Tag])
            @NSManaged func insertObject(_ value: Tag, inTagsAtIndex idx: Int)
            func use(_ tag: Tag) { primitiveName = "x"; hidden = nil; removeFromTags2(tag) }
            #if NEVER
            @NSManaged var elsewhere: NoSuchType?
            #endif
            class Inner: NSManagedObject {
                enum State: String { case on, off }
                @NSManaged var state: State, outer: Kind, mood: Mood?
                @NSManaged func addToInners(_ i: Inner)
            }
        }
        """,
        "Other.swift": """
        import Foundation
        public extension Person {
            @NSManaged var ext: String?
            @NSManaged internal var ext2: Set<Tag>?
            @NSManaged fileprivate var ext3: UUID?
        }
        class Sub: Person { @NSManaged var extra: Person.Inner?, kinds: Kind }
        extension Person.Inner { @NSManaged var late: Person.Kind }
        extension Person { class Deep: Tag { @NSManaged var deeper: Deep?, inner: Inner.State } }
        func use(_ p: Person) { p.ext3 = p.ext3 ?? UUID() }
        func useAll(_ p: Person) { p.ext = p.ext; p.ext2 = p.ext2 }
        func use(_ i: Person.Inner) { i.late = i.late }
        """,
    ]

    /// The names of the accessors that are generated.
    static func generated(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").compactMap { line in
                line.split(separator: "\"").count > 1 && line.contains("@_silgen_name")
                    ? String(line.split(separator: "\"")[1]) : nil
            })
    }

    @Test func symbolsAreThoseThatTheCompilerLeavesUndefined() throws {
        let folder = try TemporaryDirectory()
        for (name, text) in Self.sources { try Data(text.utf8).write(to: folder.url(name)) }
        let names = Self.sources.keys.sorted()
        let object = folder.path("All.o")
        let compiled = try Subprocess.run(
            "swiftc",
            ["-emit-object", "-wmo", "-parse-as-library", "-package-name", "P", "-module-name", "App", "-o", object]
                + names.map { folder.path($0) })
        try #require(compiled.isSuccess, "\(compiled.errorOutput)")
        let listed = try Subprocess.run("nm", ["-u", object])
        let undefined = Set(
            listed.output.split { $0 == " " || $0 == "\n" }.map(String.init).filter { $0.hasPrefix("$s3App") })
        var generator = ManagedCodeGenerator(
            module: "App", sources: names.map { .init(path: folder.path($0), text: Self.sources[$0] ?? "") },
            dependencies: [],
            generated: [])
        let (file, diagnostics) = generator.generate()
        #expect(diagnostics.isEmpty)
        let made = Self.generated(file.contents)
        #expect(undefined.count > 130)
        #expect(undefined.subtracting(made).isEmpty, "missing")
        #expect(made.subtracting(undefined).isEmpty, "superfluous")
    }

    @Test func theDigestIsMD5() {
        #expect(MD5.hexadecimal(of: "") == "D41D8CD98F00B204E9800998ECF8427E")
        #expect(MD5.hexadecimal(of: "abc") == "900150983CD24FB0D6963F7D28E17F72")
        #expect(
            MD5.hexadecimal(of: String(repeating: "1234567890", count: 8)) == "57EDF4A22BE3C955AC49DA2E2107B67A")
    }

    @Test func lettersBeyondASCIIAreSpelledInASCII() {
        // The examples of RFC 3492, with Swift's letters for digits and its separator.
        #expect(Punycode.encode("ü") == "tda" && Punycode.encode("größe") == "gre_GkaIi")
    }
}

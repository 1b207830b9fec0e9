import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Archives that are damaged or forged: each is read or refused, and none may stop the program or take long.
struct HostileArchiveTests {
    /// The archive of a model with something of everything.
    static let archive: Data = {
        let library = Library()
        let title = library.book.attributesByName["title"]!
        title.defaultValue = "Untitled — ohne Titel"
        title.userInfo = ["a": "b"]
        title.setValidationPredicates(
            [NSPredicate(format: "length > 0 AND (SELF BEGINSWITH[cd] 'x' OR NOT SELF IN {'a', 'b'})")],
            withValidationWarnings: ["empty"])
        let price = attribute("price", .decimal)
        price.defaultValue = NSDecimalNumber(string: "-12.345")
        let derived = NSDerivedAttributeDescription()
        derived.name = "bookCount"
        derived.type = .integer64
        derived.derivationExpression = NSExpression(format: "books.@count")
        let composite = NSCompositeAttributeDescription()
        composite.name = "place"
        composite.elements = [attribute("x", .double), attribute("y", .double)]
        library.book.properties += [price, composite]
        library.author.properties += [derived]
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(
            format: "title == $TITLE AND SUBQUERY(author.books, $b, $b.pageCount > 3).@count > 1")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        library.model.setFetchRequestTemplate(request, forName: "t")
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "same"
        fetched.fetchRequest = request
        library.author.properties += [fetched]
        library.book.uniquenessConstraints = [["title"]]
        library.book.indexes = [
            NSFetchIndexDescription(
                name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        ]
        library.model.setEntities([library.author], forConfigurationName: "People")
        library.model.versionIdentifiers = ["1"]
        return ModelArchiveWriter.archive(of: library.model)
    }()

    /// Every place is tried in the long form (`make soak`), every 29th in the short one, which has to stay quick.
    static let isSoak = ProcessInfo.processInfo.environment["COREDATA_SOAK"] != nil
    static let step = isSoak ? 1 : 29

    /// Reads an archive as a model and uses what was read; an error is fine.
    @discardableResult
    private func read(_ data: Data) -> Bool {
        do {
            let model = try NSManagedObjectModel.model(fromArchive: data)
            model.freeze()
            _ = model.entityVersionHashesByName
            _ = try model.storeCacheContents()
            return true
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain)
            return false
        }
    }

    @Test func theWholeArchiveIsRead() throws {
        #expect(read(Self.archive))
        let model = try NSManagedObjectModel.model(fromArchive: Self.archive)
        let title = model.entitiesByName["Book"]?.attributesByName["title"]
        #expect(title?.defaultValue as? String == "Untitled — ohne Titel")
        #expect(title?.validationPredicates.first?.evaluate(with: "xyz") == true)
        #expect(
            (model.entitiesByName["Book"]?.attributesByName["price"]?.defaultValue as? NSDecimalNumber)?.stringValue
                == "-12.345")
        #expect(model.fetchRequestTemplate(forName: "t")?.sortDescriptors?.first?.ascending == false)
        #expect(model.fetchRequestTemplate(forName: "t")?.predicate?.freeVariables == ["TITLE"])
    }

    @Test func everyTruncationIsRefused() {
        for count in stride(from: 0, to: Self.archive.count, by: Self.step) {
            #expect(!read(Self.archive.prefix(count)))
        }
    }

    @Test func noFlippedBitStopsTheProgram() {
        var survived = 0
        for position in stride(from: 0, to: Self.archive.count, by: Self.step) {
            // Where every byte gets its turn one bit of each will do, another one from byte to byte.
            for bit in Self.isSoak ? [position % 8] : [0, 3, 7] {
                var data = Self.archive
                data[position] ^= UInt8(1 << bit)
                if read(data) { survived += 1 }
            }
        }
        #expect(survived > 0)
    }

    @Test func noReplacedReferenceStopsTheProgram() throws {
        // Every reference of the archive leads elsewhere, one at a time: to itself, to the root, to a class, to nothing.
        var random = SystemRandomNumberGenerator()
        let objects = try BinaryPropertyList(Self.archive).count
        let marks = Self.archive.indices.filter { Self.archive[$0] & 0xF0 == 0x80 && $0 + 2 < Self.archive.count }
        for mark in stride(from: 0, to: marks.count, by: max(1, Self.step / 4)) {
            let position = marks[mark]
            var data = Self.archive
            let value = UInt16.random(in: 0..<UInt16(objects), using: &random)
            data[position + 1] = UInt8(value >> 8)
            data[position + 2] = UInt8(value & 0xFF)
            read(data)
        }
    }

    @Test(arguments: [
        "", "bplist00", "bplist01" + String(repeating: "x", count: 100), String(repeating: "\u{0}", count: 1000),
    ])
    func whatIsNoArchiveIsRefused(_ text: String) {
        #expect(!read(Data(text.utf8)))
    }

    @Test func aPropertyListThatIsNoArchiveIsRefused() {
        for value: PropertyListValue in [
            .string("x"), .dictionary([]), .array([.uid(0)]),
            .dictionary([
                ("$archiver", .string("NSKeyedArchiver")), ("$objects", .array([])), ("$top", .dictionary([])),
            ]),
            .dictionary([
                ("$archiver", .string("NSKeyedArchiver")), ("$objects", .array([.string("$null")])),
                ("$top", .dictionary([("root", .uid(9))])),
            ]),
        ] {
            #expect(!read(BinaryPropertyListWriter.write(value)))
        }
    }

    /// An archive whose root is a model with one entity, one attribute and a default value.
    private func archive(defaultValue: (inout KeyedArchiveWriter) -> PropertyListValue) -> Data {
        var writer = KeyedArchiveWriter()
        let (model, entity, attribute) = (writer.reserve(), writer.reserve(), writer.reserve())
        let value = defaultValue(&writer)
        let (entityName, name) = (writer.string("E"), writer.string("a"))
        writer.complete(
            attribute, classNames: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"],
            fields: [("NSPropertyName", name), ("NSAttributeType", .integer(1800)), ("NSDefaultValue", value)])
        let properties = writer.dictionary([(name, .uid(attribute))], isMutable: true)
        writer.complete(
            entity, classNames: ["NSEntityDescription", "NSObject"],
            fields: [("NSEntityName", entityName), ("NSProperties", properties)])
        let entities = writer.dictionary([(entityName, .uid(entity))], isMutable: true)
        writer.complete(model, classNames: ["NSManagedObjectModel", "NSObject"], fields: [("NSEntities", entities)])
        return writer.file(root: model)
    }

    @Test func anArrayThatContainsItselfIsRefused() {
        let data = archive { writer in
            let index = writer.reserve()
            writer.complete(
                index, classNames: ["NSArray", "NSObject"], fields: [("NS.objects", .array([.uid(index)]))])
            return .uid(index)
        }
        #expect(!read(data))
    }

    @Test func anArrayThatUnfoldsWithoutEndIsRefused() {
        // Forty levels, each with the one below twice: 2^40 values.
        let data = archive { writer in
            var value = writer.string("leaf")
            for _ in 0..<40 { value = writer.array([value, value]) }
            return value
        }
        #expect(!read(data))
    }

    @Test func aDeepValueIsRefused() {
        let data = archive { writer in
            var value = writer.string("leaf")
            for _ in 0..<100_000 { value = writer.array([value]) }
            return value
        }
        #expect(!read(data))
    }

    @Test func aDeepPlainPropertyListInsideIsRefused() {
        // Collections written in place, as a keyed archive never has them.
        var nested = PropertyListValue.array([])
        for _ in 0..<500 { nested = .array([nested]) }
        let data = archive { writer in writer.object(["Unknown", "NSObject"], [("field", nested)]) }
        #expect(!read(data))
    }

    @Test func anUnknownObjectMayReferToItselfAndIsKept() throws {
        let data = archive { writer in
            let (first, second) = (writer.reserve(), writer.reserve())
            let text = writer.string("kept")
            writer.complete(
                first, classNames: ["App.Node", "NSObject"],
                fields: [("next", .uid(second)), ("text", text), ("count", .integer(3)), ("none", .uid(0))])
            writer.complete(second, classNames: ["App.Node", "NSObject"], fields: [("next", .uid(first))])
            return .uid(first)
        }
        let model = try NSManagedObjectModel.model(fromArchive: data)
        let kept = try #require(
            model.entitiesByName["E"]?.attributesByName["a"]?.defaultValue as? OpaqueArchivedObject)
        #expect(kept.className == "App.Node")
        let again = try NSManagedObjectModel.model(fromStoreCache: model.storeCacheContents())
        #expect(again.entitiesByName["E"]?.attributesByName["a"]?.defaultValue as? OpaqueArchivedObject == kept)
    }

    @Test func anUnknownObjectThatLeadsBackToTheModelIsLeftOut() throws {
        let data = archive { writer in
            // The model's own place is 1.
            writer.object(["App.Spy", "NSObject"], [("model", .uid(1))])
        }
        let model = try NSManagedObjectModel.model(fromArchive: data)
        #expect(model.entitiesByName["E"]?.attributesByName["a"]?.defaultValue == nil)
    }

    @Test func aClassIsNeverInstantiatedFromItsName() throws {
        let data = archive { writer in writer.object(["NSManagedObjectContext", "NSObject"], []) }
        let model = try NSManagedObjectModel.model(fromArchive: data)
        #expect(model.entitiesByName["E"]?.attributesByName["a"]?.defaultValue is OpaqueArchivedObject)
    }

    @Test func unknownFieldsAreKept() throws {
        var writer = KeyedArchiveWriter()
        let model = writer.reserve()
        let extra = writer.plain(.integer(42))
        let entities = writer.dictionary([], isMutable: true)
        writer.complete(
            model, classNames: ["NSManagedObjectModel", "NSObject"],
            fields: [("NSEntities", entities), ("FutureField", extra), ("FutureNumber", .integer(7))])
        let read = try NSManagedObjectModel.model(fromArchive: writer.file(root: model))
        let archive = try RawDeflate.inflate(read.storeCacheContents(), limit: 1 << 20)
        let objects = try #require(
            (PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any])?["$objects"]
                as? [Any])
        #expect(objects.contains { ($0 as? [String: Any])?["FutureNumber"] as? Int == 7 })
        #expect(objects.contains { $0 as? Int == 42 })
    }

    @Test func aCacheThatUnpacksBeyondTheBoundIsRefused() throws {
        let zeros = try RawDeflate.deflate(Data(count: ModelFileLimit.bytes + 1))
        #expect(zeros.count < 1 << 20)
        #expect(throws: NSError.self) { try NSManagedObjectModel.model(fromStoreCache: zeros) }
        #expect(throws: NSError.self) { try NSManagedObjectModel.model(fromStoreCache: Data()) }
        #expect(throws: NSError.self) { try NSManagedObjectModel.model(fromStoreCache: Data([1, 2, 3])) }
    }

    @Test func ourPropertyListIsReadByFoundationAndFoundationsByUs() throws {
        let value: [String: Any] = [
            "int": 300, "negative": -5, "real": 2.5, "text": "ä€𝄞", "data": Data([1, 2]), "list": [true, false, "x"],
            "date": Date(timeIntervalSinceReferenceDate: 12.5), "long": String(repeating: "y", count: 300),
        ]
        let theirs = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        let plist = try BinaryPropertyList(theirs)
        guard case .dictionary(let keys, let values) = try plist.node(plist.top) else {
            Issue.record("no dictionary")
            return
        }
        var ours: [(key: String, value: PropertyListValue)] = []
        for (key, number) in zip(keys, values) {
            guard case .string(let name) = try plist.node(key) else { continue }
            ours.append((name, try copy(plist, number)))
        }
        let written = BinaryPropertyListWriter.write(.dictionary(ours))
        let again = try PropertyListSerialization.propertyList(from: written, format: nil) as? NSDictionary
        #expect(again == value as NSDictionary)
    }

    /// U+00E9, and e with U+0301: equal as Swift's strings.
    @Test func textsOfOtherCodesAreWrittenEachForItself() throws {
        let texts = ["\u{E9}", "e\u{301}"]
        let list = BinaryPropertyListWriter.write(.array(texts.map { .string($0) }))
        let again = try PropertyListSerialization.propertyList(from: list, format: nil) as? [String]
        #expect(again?.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
        var writer = KeyedArchiveWriter()
        #expect(writer.string(texts[0]) != writer.string(texts[1]))
    }

    private func copy(_ plist: BinaryPropertyList, _ number: Int) throws -> PropertyListValue {
        switch try plist.node(number) {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .date(let value): .date(value)
        case .data(let value): .data(value)
        case .string(let value): .string(value)
        case .uid(let value): .uid(value)
        case .array(let members): .array(try members.map { try copy(plist, $0) })
        case .dictionary: .null
        }
    }
}

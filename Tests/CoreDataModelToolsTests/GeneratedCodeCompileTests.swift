import CoreData
import CoreDataModelTools
import Foundation
import TestSupport
import Testing

/// Generated code of the corpus' models, given to the compiler: no error and no warning in either language mode.
@Suite("generated code compiles", .enabled(if: Corpus.isUsable))
struct GeneratedCodeCompileTests {
    static let isSoak = ProcessInfo.processInfo.environment["COREDATA_SOAK"] != nil

    /// Inheritance, ordered relationships, composites, fetched and derived properties, custom classes, names of modules, every
    /// attribute type.
    static let varied = [
        "OpenEmu+OpenEmu/OpenEmu/OEDatabase.xcdatamodeld", "alemar11+CoreDataPlus/SampleModel.xcdatamodeld",
        "JohanDegraeve+xdripswift/xDrip/Core Data/xdrip.xcdatamodeld",
        "TortugaPower+BookPlayer/Shared/CoreData/BookPlayer.xcdatamodeld/Audiobook Player 11.xcdatamodel",
        "atomicbird+momdec/momdecTests/momdecTests.xcdatamodeld",
        "fatbobman+CoreDataEvolution/Models/Integration/CoreDataEvolutionIntegrationModel.xcdatamodeld",
        "mentrena+SyncKit/Example/CoreData/SyncKitCoreDataExample/SyncKitCoreDataExampleTests/Transformable/"
            + "QSTransformableTestModel.xcdatamodeld",
        "nostur-com+nostur-ios-public/Nostur/CoreData/NosturCloud.xcdatamodeld",
        "objcio+core-data/Moody/MoodyModel/Moody.xcdatamodeld",
        "planetary-social+nos/Nos/Models/CoreData/Nos.xcdatamodeld/Nos 23.xcdatamodel",
        "rentzsch+mogenerator/test/test.xcdatamodel",
        "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld/Model 117.xcdatamodel",
    ].map { "models/" + $0 }

    /// Every version of every model.
    static let all = Corpus.paths(in: "models") { $0.hasSuffix(".xcdatamodel") }

    @Test("as classes, whatever the models say", arguments: [5, 6])
    func classes(_ languageMode: Int) throws {
        try check(Self.varied, forced: .class, languageMode)
    }

    @Test("all models", .enabled(if: isSoak), arguments: [5, 6])
    func allClasses(_ languageMode: Int) throws {
        #expect(Self.all.count > 130)
        try check(Self.all, forced: .class, languageMode)
    }

    @Test("by the models' own settings, with hand-written classes for the rest", arguments: [5, 6])
    func asTheModelsSay(_ languageMode: Int) throws {
        let models = Self.all.filter { path in
            let url = Corpus.url(path + "/contents")
            let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            return text.contains(#"codeGenerationType="c"#)
        }
        #expect(models.count > 5)
        try check(models, forced: nil, languageMode)
    }

    @Test("in a module whose code is isolated to the main actor unless it says otherwise", arguments: [5, 6])
    func mainActor(_ languageMode: Int) throws {
        let folder = try TemporaryDirectory()
        let generator = try ModelCodeGenerator(modelAt: ModelFixture.showcase, module: "Generated")
        let handWritten = GeneratedFile(
            name: "HandWritten.swift",
            contents: """
                import CoreData
                nonisolated public class Author: NSManagedObject {}
                nonisolated public class Tag: NSManagedObject {}
                nonisolated func register() { KeyPathNames.register(\\Author.name, name: "name") }
                """)
        let files = try generator.files() + [handWritten]
        for file in files { try file.write(into: folder.url) }
        let result = try SwiftCompiler.check(
            files.map { folder.path($0.name) }, languageMode: languageMode,
            options: ["-default-isolation", "MainActor"])
        #expect(result.isSuccess, "\(result.errorOutput.prefix(4000))")
    }

    /// Compiles the models' code, as many models at once as have no class name in common.
    private func check(_ paths: [String], forced: ModelSource.CodeGeneration?, _ languageMode: Int) throws {
        var groups: [(names: Set<String>, generators: [ModelCodeGenerator])] = []
        for path in paths {
            let generator = try ModelCodeGenerator(modelAt: Corpus.url(path), module: "Generated", forced: forced)
            let names = Set(generator.classes.map { $0.name.lowercased() })
            if let index = groups.firstIndex(where: { $0.names.isDisjoint(with: names) }) {
                groups[index].names.formUnion(names)
                groups[index].generators.append(generator)
            } else {
                groups.append((names, [generator]))
            }
        }
        for group in groups { try compile(group.generators, languageMode) }
    }

    private func compile(_ generators: [ModelCodeGenerator], _ languageMode: Int) throws {
        let folder = try TemporaryDirectory()
        var files = [GeneratedFile(name: "Custom.swift", contents: Self.customClasses)]
        for (number, generator) in generators.enumerated() {
            files += try generator.files()
            files.append(
                GeneratedFile(name: "Registration\(number).swift", contents: registration(generator, number)))
            let handWritten = generator.classes.filter { $0.codeGeneration != .class }
                .map { "public class \($0.name): \($0.superclass) {}\n" }
            files.append(
                GeneratedFile(
                    name: "HandWritten\(number).swift", contents: "import CoreData\n" + handWritten.joined()))
        }
        for file in files { try file.write(into: folder.url) }
        let result = try SwiftCompiler.check(files.map { folder.path($0.name) }, languageMode: languageMode)
        #expect(result.isSuccess, "\(generators.map(\.modelName)): \(result.errorOutput.prefix(4000))")
    }

    /// What the models' attributes name and do not define.
    private static let customClasses = """
        import Foundation
        public class Article: NSObject {}
        public class Color: NSObject {}
        public class SyncTaskContainer: NSObject {}

        """

    /// Names every class and property, as a registration of key paths does.
    private func registration(_ generator: ModelCodeGenerator, _ number: Int) -> String {
        var text = "import CoreData\n\nfunc register\(number)() {\n"
        for type in generator.classes {
            for name in type.modelNames { text += "    \(type.name)._register(as: \"\(name)\")\n" }
            for property in type.properties where property.isGenerated {
                text += "    KeyPathNames.register(\\\(type.name).\(property.swiftName), name: \"\(property.name)\")\n"
            }
        }
        return text + "}\n"
    }
}

import CoreData
import CoreDataModelTools
import Foundation

extension CommandSpecification {
    static let modelGenerate = CommandSpecification(
        name: "model generate",
        summary: "Writes Swift code for a model's entities, as Xcode does.",
        usage: ["--output DIR [--module NAME [--sources DIR]] [--codegen KIND] MODEL"],
        discussion: """
            What is written for an entity is the model's choice (Codegen in Xcode's editor): the class and its properties \
            (Class Definition), the properties (Category/Extension) or nothing (Manual/None). The code needs no Objective-C; on \
            Apple's platforms it is empty, for there Xcode writes it.
            A file of the folder is replaced only if it was generated. The plugin CoreDataModelPlugin does the same in each \
            build; see Documentation/ModelClasses.md.
            """,
        operand: Operand(
            placeholder: "MODEL", help: "An .xcdatamodeld, of which the current version counts, or an .xcdatamodel."),
        options: [
            Option(
                name: "--output", short: "-o", placeholder: "DIR", completion: .files,
                help: "The folder for the files; it is made if there is none."),
            Option(
                name: "--module", placeholder: "NAME",
                help: "The module that the code is for. Classes that the model has in others are looked for there too."),
            Option(
                name: "--sources", placeholder: "DIR", completion: .files,
                help:
                    "The folder of the module's own Swift files: also written is what their @NSManaged code needs, and what lets "
                    + "classes be found by name and key paths have names."),
            Option(
                name: "--codegen", placeholder: "KIND",
                help: "Take 'class' or 'category' for every entity's Codegen, whatever the model says."),
            .json, .help,
        ],
        examples: [
            Example(
                line: "coredata model generate --output Generated Library.xcdatamodeld",
                explanation: "Writes Book+CoreDataClass.swift, Book+CoreDataProperties.swift and so on."),
            Example(
                line:
                    "coredata model generate -o Generated --module Library --sources . Library.xcdatamodeld",
                explanation: "Writes all that the plugin would write for module Library."),
            Example(
                line: "coredata model generate --codegen class -o Generated Library.xcdatamodeld",
                explanation: "Classes for all entities, also for those that the model leaves to hand-written code."),
        ]
    ) { arguments, console in
        guard let output = arguments.value(of: "--output"), !output.isEmpty else {
            throw UsageError("--output is missing: where do the files go?", command: "model generate")
        }
        let module = arguments.value(of: "--module")
        let sources = arguments.value(of: "--sources")
        guard sources == nil || module != nil else {
            throw UsageError("--sources needs --module: what is the module of these files?", command: "model generate")
        }
        let forced = try arguments.value(of: "--codegen").map(codeGeneration)
        let result = try GeneratedCode(
            model: arguments.operands[0], module: module, sources: sources, forced: forced, output: output)
        try result.write()
        if arguments.wantsJSON {
            console.print(result.json)
        } else {
            result.list(on: console)
        }
        for warning in result.warnings { console.warn(warning.printable(limit: 4096)) }
        for name in result.leftovers {
            console.warn("\(output)/\(name) is left of an entity that has no generated code any more; remove it.")
        }
    }

    private static func codeGeneration(_ text: String) throws -> ModelSource.CodeGeneration {
        switch text {
        case "class": return .class
        case "category": return .category
        default:
            throw UsageError(
                "--codegen takes 'class' or 'category', not '\(text)'.", command: "model generate",
                suggestion: Suggestion.nearest(to: text, among: ["class", "category"]))
        }
    }
}

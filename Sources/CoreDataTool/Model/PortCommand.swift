import CoreDataModelTools

extension CommandSpecification {
    static let modelPort = CommandSpecification(
        name: "model port",
        summary: "Finds what Swift refuses without Objective-C in model code, and puts it right.",
        usage: ["[--fix] [--json] DIR"],
        discussion: """
            Looks through the Swift files of a folder for @objc, @objc(name), @objcMembers, #keyPath and #selector, says where they \
            stand, and shows the change as a diff. With --fix the files are changed: attributes are wrapped in \
            #if canImport(ObjectiveC), #keyPath of a property of managed objects becomes its path as a text, and \
            #selector of NSString's comparisons the selector by its name. On Apple's platforms the code means what it meant.
            Code that conditions keep from Linux stays as it is; a second run finds nothing more to change. Some things are left \
            to do by hand: they are named with what to do. Classes and properties are known from the files of the folder and from \
            the models in it.
            Exit code 0: nothing is left to do; 1: something is, by --fix or by hand.
            """,
        operand: Operand(placeholder: "DIR", help: "A folder with Swift files, or one file."),
        options: [
            Option(name: "--fix", help: "Change the files. Without it nothing is changed."),
            .json, .help,
        ],
        examples: [
            Example(line: "coredata model port Sources/Model", explanation: "Shows what is to be done."),
            Example(line: "coredata model port --fix Sources/Model", explanation: "Does it."),
        ]
    ) { arguments, console in
        let run = try PortRun(arguments.operands[0])
        let isFixing = arguments.has("--fix")
        if isFixing { try run.write() }
        if arguments.wantsJSON {
            console.print(run.json(isFixed: isFixing))
        } else {
            run.list(isFixed: isFixing, on: console)
        }
        if run.isLeft(isFixed: isFixing) { throw NotAllDone() }
    }
}

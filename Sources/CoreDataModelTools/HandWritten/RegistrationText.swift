/// The code that tells the framework of a module's managed classes, their key paths and their rules.
///
/// It runs when a class, a key path or a rule is first looked for. That there is something to run is said when the program is
/// loaded (`.init_array`); where the compiler is too old for that, the framework looks for a class of the name.
struct RegistrationText {
    let text: String
    let diagnostics: [ManagedCodeGenerator.Diagnostic]
    /// The files whose types the code names.
    let files: Set<String>

    init(module: String, classes: ManagedClasses, files: [SourceFile]) {
        var diagnostics: [ManagedCodeGenerator.Diagnostic] = []
        var body = ""
        for type in classes.all {
            let rules = type.validators.filter { rule in
                if !rule.access.isOfFile { return true }
                let path = files.first { file in
                    file.types.contains { $0.validators.contains { $0.line == rule.line && $0.name == rule.name } }
                }
                diagnostics.append(
                    ManagedCodeGenerator.Diagnostic(
                        path: path?.path ?? type.path ?? "", line: rule.line, isError: false,
                        message:
                            "\(type.name).\(rule.name)(_:) is \(rule.access), so that validateValue(_:forKey:) does not call "
                            + "it; make it internal"))
                return false
            }
            body += Self.conditional(Self.registration(type, rules), type.condition)
        }
        self.diagnostics = diagnostics
        self.files = Set(classes.all.compactMap(\.path))
        text =
            body.isEmpty
            ? ""
            : """
            nonisolated final class _ManagedClasses: _ManagedModule {
                override class func register() {
            \(body)    }
            }

            #if compiler(>=6.3) && (os(Linux) || os(Android) || os(FreeBSD) || os(OpenBSD))
            @section(".init_array") @used
            private nonisolated let _managedClassesHook: @convention(c) () -> Void = {
                _ManagedModule.add { _ManagedClasses.register() }
            }
            #endif

            """
    }

    private static func conditional(_ text: String, _ condition: String?) -> String {
        condition.map { "#if \($0)\n\(text)#endif\n" } ?? text
    }

    private static func registration(_ type: ManagedClasses.Class, _ rules: [SourceFile.Validator]) -> String {
        let name = type.name.split(separator: ".").map { SwiftName.written(String($0)) }.joined(separator: ".")
        let modelNames = type.modelNames.map(SwiftName.literal).joined(separator: ", ")
        var text = "        \(name)._register(\(modelNames.isEmpty ? "" : "as: \(modelNames)"))\n"
        if !type.properties.isEmpty {
            text += "        \(name)._registerKeyPaths { names in\n"
            for property in type.properties {
                let line =
                    "            names.add(\\\(name).\(SwiftName.written(property.name)), "
                    + "\(SwiftName.literal(property.name)))\n"
                text += conditional(line, property.condition == type.condition ? nil : property.condition)
            }
            text += "        }\n"
        }
        for rule in rules {
            let key = SwiftName.literal(String(rule.name.dropFirst("validate".count)))
            let call = "unsafeDowncast(object, to: \(name).self).\(rule.name)"
            let line =
                switch rule.form {
                case .anyValue:
                    "        \(name)._registerRule(\(key)) { object, value in try \(call)(&value) }\n"
                case .pointer:
                    "        \(name)._registerRule(\(key)) { object, value in try _withPointer(to: &value) { try \(call)($0) } }\n"
                }
            text += conditional(line, rule.condition == type.condition ? nil : rule.condition)
        }
        return text
    }
}

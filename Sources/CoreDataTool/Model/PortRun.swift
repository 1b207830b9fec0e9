import CoreData
import CoreDataModelTools
import Foundation

/// The Swift files of a folder, looked through for what Linux refuses.
final class PortRun {
    private struct File {
        let path: String
        let source: PortedSource
    }

    private struct Refused {
        let path: String
        let reason: String
    }

    private let folder: String
    private let fileCount: Int
    /// Those with findings.
    private var files: [File] = []
    private var refused: [Refused] = []

    /// The largest file that is read.
    private static let maximumBytes: Int64 = 16 << 20

    /// - Throws: `ToolError`
    init(_ path: String) throws {
        folder = path
        let tree = try SourceTree(path)
        fileCount = tree.sources.count
        var types = PortedTypes()
        for model in tree.models {
            let url = URL(fileURLWithPath: model)
            // A model that cannot be read tells nothing; that is for the commands that are about it.
            for version in (try? NSManagedObjectModel.versionURLs(of: url)) ?? [] {
                if let model = try? NSManagedObjectModel.loadModel(at: version) { types.add(model) }
            }
        }
        var sources: [(path: String, source: PortableSource)] = []
        for path in tree.sources {
            do {
                let source = try PortableSource(Self.contents(of: path))
                types.add(source)
                sources.append((path, source))
            } catch let error as PortableSource.Refusal {
                refused.append(Refused(path: path, reason: error.reason))
            } catch {
                throw ToolError.explaining(error, path)
            }
        }
        for (path, source) in sources {
            let ported = source.port(types)
            if !ported.findings.isEmpty { files.append(File(path: path, source: ported)) }
        }
    }

    private static func contents(of path: String) throws -> Data {
        guard StoreFilePath.size(path) <= maximumBytes else {
            throw PortableSource.Refusal(reason: "it is larger than any Swift source")
        }
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Changes the files, each at once or not at all.
    ///
    /// - Throws: `ToolError`
    func write() throws {
        for file in files where file.source.isChanged {
            try FileRewriting.replace(file.path, by: file.source.contents)
        }
    }

    // MARK: Output

    private var findings: [PortFinding] { files.flatMap(\.source.findings) }
    private var byHandCount: Int { findings.filter { $0.advice != nil }.count }

    /// Whether there is more to do.
    func isLeft(isFixed: Bool) -> Bool {
        !refused.isEmpty || (isFixed ? byHandCount > 0 : !findings.isEmpty)
    }

    func list(isFixed: Bool, on console: Console) {
        for file in files {
            let path = file.path.printable(limit: 4096)
            for finding in file.source.findings {
                let place = "\(path):\(finding.line):\(finding.column):"
                let advice = finding.advice.map { " (by hand: \($0.printable(limit: 400)))" } ?? ""
                console.print("\(console.style.bold(place)) \(finding.text.printable(limit: 200))\(advice)")
            }
        }
        for file in files where file.source.isChanged {
            let path = file.path.printable(limit: 4096)
            console.print()
            console.print("--- \(path)")
            console.print("+++ \(path)")
            for line in file.source.difference() { console.print(Self.coloured(line, console.style)) }
        }
        for file in refused {
            console.warn("\(file.path.printable(limit: 4096)): \(file.reason); it is left as it is.")
        }
        console.print(files.isEmpty ? summary(isFixed) : "\n" + summary(isFixed))
    }

    private func summary(_ isFixed: Bool) -> String {
        let total = findings.count
        guard total > 0 else { return "Nothing to do in \(Self.count(fileCount, "Swift file"))." }
        let places = "\(Self.count(total, "place")) in \(Self.count(files.count, "file"))"
        let (fixable, byHand) = (total - byHandCount, byHandCount)
        if isFixed {
            return "\(places): \(fixable) put right" + (byHand > 0 ? ", \(byHand) left to do by hand." : ".")
        }
        return "\(places): \(fixable) to be put right with --fix" + (byHand > 0 ? ", \(byHand) by hand." : ".")
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func coloured(_ line: String, _ style: Style) -> String {
        // Tabs are the file's own; everything else that a terminal would act on is shown instead.
        let text = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\t")
        return switch text.first {
        case "+": style.green(text)
        case "-": style.red(text)
        case "@": style.dim(text)
        default: text
        }
    }

    func json(isFixed: Bool) -> JSON {
        .object([
            ("folder", .text(folder)), ("isFixed", .boolean(isFixed)), ("sources", .count(fileCount)),
            ("fixable", .count(findings.count - byHandCount)), ("byHand", .count(byHandCount)),
            (
                "files",
                .list(
                    files.map { file in
                        .object([
                            ("path", .text(file.path)), ("changes", .boolean(file.source.isChanged)),
                            ("findings", .list(file.source.findings.map(Self.json))),
                            ("difference", .texts(file.source.difference())),
                        ])
                    })
            ),
            (
                "refused",
                .list(refused.map { .object([("path", .text($0.path)), ("reason", .text($0.reason))]) })
            ),
        ])
    }

    private static func json(_ finding: PortFinding) -> JSON {
        .object([
            ("kind", .text(finding.kind.rawValue)), ("line", .count(finding.line)),
            ("column", .count(finding.column)), ("text", .text(finding.text)),
            ("advice", .text(orNull: finding.advice)),
        ])
    }
}

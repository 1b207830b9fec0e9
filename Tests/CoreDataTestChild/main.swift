import Foundation

guard CommandLine.arguments.count > 1, let scenario = scenarios[CommandLine.arguments[1]] else {
    FileHandle.standardError.write(Data("usage: CoreDataTestChild \(scenarios.keys.sorted())\n".utf8))
    exit(64)
}
scenario()
exit(0)

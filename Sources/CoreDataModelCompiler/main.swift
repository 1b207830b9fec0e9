// What the model plugin runs: generates Swift code for a target's models and for its @NSManaged code. Not meant to be called by
// hand; `coredata model generate` is.
#if !canImport(ObjectiveC)
    import CoreDataModelTools
    import Foundation

    do {
        let (lines, hasErrors) = try TargetCompilation(arguments: Array(CommandLine.arguments.dropFirst())).run()
        for line in lines { FileHandle.standardError.write(Data((line + "\n").utf8)) }
        exit(hasErrors ? 1 : 0)
    } catch let error as TargetCompilation.BadArguments {
        FileHandle.standardError.write(Data("error: CoreDataModelCompiler: \(error.message)\n".utf8))
        exit(2)
    } catch {
        FileHandle.standardError.write(Data("error: CoreDataModelCompiler: \(error)\n".utf8))
        exit(1)
    }
#endif

import CoreDataTool
import Foundation

Signals.watch()
let console = Console.standard()
let code = Tool.run(Array(CommandLine.arguments.dropFirst()), console)
Signals.endIfCaught()
// A reader who has had enough ends the program as he would end any other.
if console.output.isClosedByReader { Signals.end(SIGPIPE) }
exit(code)

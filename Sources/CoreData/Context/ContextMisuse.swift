/// Stops the program for a programmer's error where Apple raises an exception. The message is printed in release builds too.
func contextMisuse(_ message: String, file: StaticString = #file, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}

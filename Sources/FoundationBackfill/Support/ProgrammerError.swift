/// Stops the program where Apple's framework raises an exception for a mistake in the calling code. The
/// message is printed in release builds too.
///
/// Never used for anything that data, a file, another process or a text typed by a person can cause.
package func programmerError(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line)
    -> Never
{
    fatalError(message(), file: file, line: line)
}

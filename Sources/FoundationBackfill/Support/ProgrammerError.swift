/// Stops the program where Apple's framework raises an exception for a mistake in the calling code.
///
/// Never used for anything that data, a file, another process or a text typed by a person can cause.
package func programmerError(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line)
    -> Never
{
    preconditionFailure(message(), file: file, line: line)
}

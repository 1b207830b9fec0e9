import Foundation

/// What a command talks to: its results go to `output`, everything about them to `errors`.
package struct Console {
    package let output: TextSink
    package let errors: TextSink
    let style: Style
    let errorStyle: Style
    /// Reads an answer; nil where there is nobody to ask.
    let answer: (() -> String?)?

    /// The console of this process.
    package static func standard() -> Console {
        let environment = ProcessInfo.processInfo.environment
        let hasColours = environment["NO_COLOR", default: ""].isEmpty && environment["TERM", default: "dumb"] != "dumb"
        return Console(
            output: TextSink(descriptor: STDOUT_FILENO), errors: TextSink(descriptor: STDERR_FILENO),
            isColoured: hasColours && isatty(STDOUT_FILENO) == 1,
            areErrorsColoured: hasColours && isatty(STDERR_FILENO) == 1,
            answer: isatty(STDIN_FILENO) == 1 ? { readLine() } : nil)
    }

    package init(
        output: TextSink, errors: TextSink, isColoured: Bool = false, areErrorsColoured: Bool = false,
        answer: (() -> String?)? = nil
    ) {
        self.output = output
        self.errors = errors
        style = Style(isEnabled: isColoured)
        errorStyle = Style(isEnabled: areErrorsColoured)
        self.answer = answer
    }

    /// The same with another place for results.
    func with(output: TextSink) -> Console {
        Console(
            output: output, errors: errors, isColoured: style.isEnabled, areErrorsColoured: errorStyle.isEnabled,
            answer: answer)
    }

    func print(_ line: String = "") {
        output.write(line)
        output.write("\n")
    }

    func print(_ json: JSON) { output.write(json.document) }

    func warn(_ text: String) {
        errors.write("\(errorStyle.yellow("warning:")) \(text)\n")
        errors.flush()
    }

    func flush() {
        output.flush()
        errors.flush()
    }
}

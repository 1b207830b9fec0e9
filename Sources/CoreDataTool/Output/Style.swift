/// Colour and weight, on a terminal that has them; elsewhere the text as it is.
struct Style: Sendable {
    let isEnabled: Bool

    static let plain = Style(isEnabled: false)

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func dim(_ text: String) -> String { wrapped(text, "2") }
    func red(_ text: String) -> String { wrapped(text, "31;1") }
    func yellow(_ text: String) -> String { wrapped(text, "33") }
    func green(_ text: String) -> String { wrapped(text, "32") }

    private func wrapped(_ text: String, _ code: String) -> String {
        isEnabled && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// A text by its bytes, for sets and dictionaries: `é` in one code and in two are equal as Swift's strings, and two texts in a
/// store.
package struct ExactText: Hashable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

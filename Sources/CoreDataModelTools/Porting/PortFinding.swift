/// Something that Swift refuses where there is no Objective-C.
package struct PortFinding: Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// `@objc` or `@objc(name)`.
        case objc
        case objcMembers
        /// An `@objc optional` requirement of a protocol.
        case optionalRequirement
        case keyPath
        case selector
    }

    package let kind: Kind
    /// The first line is 1.
    package let line: Int
    /// In bytes of UTF-8 as the compiler counts; the first is 1.
    package let column: Int
    /// The source.
    package let text: String
    /// What to do by hand; nil for what is put right by the command.
    package let advice: String?
}

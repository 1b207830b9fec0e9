/// The named positions of `[FIRST]`, `[LAST]` and `[SIZE]`; the last one stands for the number of members.
package enum CollectionPosition: String, Sendable, CustomStringConvertible {
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"

    package var description: String { rawValue }
}

/// The part of the library where a book stands.
public enum Shelf: Int16, Sendable {
    case stacks, readingRoom, repair
}

import CoreDataCSQLite

extension SQLiteConnection {
    /// The value of a pragma that answers with a number.
    package func pragma(_ name: String) throws -> Int64? {
        try pragma(name) { $0.isNull(0) ? nil : $0.int64(0) }
    }

    /// The value of a pragma that answers with text.
    package func textPragma(_ name: String) throws -> String? {
        try pragma(name) { $0.text(0) }
    }

    /// Sets a pragma and returns what it answers, if anything. Name and value may come from a user's options, so both are
    /// limited to what a pragma can be: a name, and a word or a number or quoted text.
    @discardableResult
    package func setPragma(_ name: String, to value: String) throws -> String? {
        let bare = Self.isWord(value) || Double(value) != nil
        let literal = bare ? value : Self.quoted(text: value)
        let statement = try prepare("PRAGMA \(try checked(pragma: name)) = \(literal)")
        defer { statement.reset() }
        return try statement.step() && statement.columnCount > 0 ? statement.text(0) : nil
    }

    /// `delete`, `wal`, `memory`, `truncate`, `persist` or `off`.
    package var journalMode: String {
        get throws { try textPragma("journal_mode")?.lowercased() ?? "" }
    }

    /// A name as an SQL identifier, in double quotes.
    package static func quoted(identifier: String) -> String {
        "\"" + identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A text as an SQL literal, for the few places where SQL takes no parameter.
    package static func quoted(text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private func pragma<T>(_ name: String, _ value: (SQLiteStatement) -> T?) throws -> T? {
        // Not cached: some pragmas answer from the state they were prepared in.
        let statement = try prepare("PRAGMA \(try checked(pragma: name))")
        defer { statement.reset() }
        return try statement.step() ? value(statement) : nil
    }

    private func checked(pragma name: String) throws -> String {
        guard Self.isWord(name) else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "\"\(name)\" is no pragma's name", path: path)
        }
        return name
    }

    private static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == 0x5F || isLetter(first) else { return false }
        return text.utf8.allSatisfy { $0 == 0x5F || isLetter($0) || (0x30...0x39).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

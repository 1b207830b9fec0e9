import CoreData
import Foundation
import TestSupport
import Testing

/// Predicates on real stores find the rows that SQL written by hand finds.
@Suite("Real stores: fetching", .enabled(if: Corpus.isUsable, "the corpus is absent"))
struct StoreFetchingTests {
    @Test("predicates over every attribute and relationship", arguments: Corpus.stores)
    func fetches(_ path: String) throws {
        try Corpus.withCopy(of: path) { copy in
            let store = try RealStore(path, at: copy)
            var check = try FetchCheck(store)
            for entity in store.model.entities.sorted(by: { $0.title < $1.title }) { try check.run(entity) }
            #expect(check.differences == [])
            print("fetched \(path): \(check.asked) predicates, \(check.some) found some rows but not all")
            try store.close()
        }
    }
}

/// Asks a store and its file the same questions.
struct FetchCheck {
    private let database: RawDatabase
    private let columns: ExpectedColumns
    private let context: NSManagedObjectContext
    private(set) var asked = 0
    private(set) var some = 0
    private(set) var differences: [String] = []

    init(_ store: RealStore) throws {
        database = try RawDatabase(store.url)
        columns = try ExpectedColumns(store.model, database)
        context = store.newContext()
    }

    mutating func run(_ entity: NSEntityDescription) throws {
        let rows = try database.column("SELECT count(*) FROM \(source(entity, "t"))").first?.integer ?? 0
        guard rows > 0 else { return }
        for (path, attribute) in entity.allStoredAttributes {
            guard let column = columns.value(entity, path) else { continue }
            for test in try tests(path, attribute, "t.\(column)", source(entity, "t")) {
                try compare(entity, test, rows)
            }
        }
        for relationship in entity.storedRelationships {
            guard let destination = relationship.destinationEntity else { continue }
            let tests =
                try relationship.isToMany
                ? toMany(entity, relationship, destination) : toOne(entity, relationship, destination)
            for test in tests { try compare(entity, test, rows) }
        }
    }

    /// A predicate and what it means in SQL.
    private struct Question {
        let format: String
        var arguments: [Any] = []
        let sql: String
    }

    private mutating func compare(_ entity: NSEntityDescription, _ question: Question, _ rows: Int64) throws {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.title)
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: question.format, argumentArray: question.arguments)
        let found = try context.fetch(request).compactMap {
            Int64($0.uriRepresentation().lastPathComponent.dropFirst())
        }.sorted()
        let sql = "SELECT t.Z_PK FROM \(source(entity, "t")) AND (\(question.sql)) ORDER BY t.Z_PK"
        let expected = try database.column(sql).compactMap(\.integer)
        asked += 1
        if !found.isEmpty, found.count < rows { some += 1 }
        let count = try context.count(for: request)
        if found != expected || count != expected.count {
            differences.append(
                "\(entity.title): \(question.format) \(question.arguments): \(found) for \(expected), \(sql)")
        }
    }

    /// The rows of an entity and those below it, to be followed by further conditions.
    private func source(_ entity: NSEntityDescription, _ alias: String) -> String {
        var numbers: [Int64] = []
        var open = [entity]
        while let next = open.popLast() {
            if let number = columns.numbers[next.title] { numbers.append(number) }
            open += next.subentities
        }
        let list = numbers.map(String.init).joined(separator: ", ")
        return "\(ExpectedColumns.table(of: entity)) \(alias) WHERE \(alias).Z_ENT IN (\(list))"
    }

    // MARK: Attributes

    /// A value from the middle of the column, as SQL writes it and as an argument.
    private func sample(
        _ column: String, _ attribute: NSAttributeDescription, _ source: String
    ) throws -> (sql: String, argument: Any)? {
        let values = "FROM \(source) AND \(column) IS NOT NULL"
        let middle = "(SELECT count(*) / 2 \(values))"
        let sql = "SELECT \(column), quote(\(column)) \(values) ORDER BY \(column) LIMIT 1 OFFSET \(middle)"
        guard let row = try database.rows(sql).first, let literal = row[1].text else { return nil }
        let real: Double? =
            switch row[0] {
            case .real(let value): value
            case .integer(let value): Double(value)
            default: nil
            }
        // `quote` may print a real with fewer digits than it has.
        if case .real(let value) = row[0], Double(literal) != value { return nil }
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
            return row[0].integer.map { (literal, $0) }
        case .doubleAttributeType, .floatAttributeType: return real.map { (literal, $0) }
        case .dateAttributeType: return real.map { (literal, Date(timeIntervalSinceReferenceDate: $0)) }
        case .decimalAttributeType: return real.flatMap { Decimal(string: "\($0)") }.map { (literal, $0) }
        case .stringAttributeType: return row[0].text.map { (literal, $0) }
        case .URIAttributeType: return row[0].text.flatMap(URL.init(string:)).map { (literal, $0) }
        case .UUIDAttributeType:
            guard case .blob(let bytes) = row[0], bytes.count == 16 else { return nil }
            return (literal, bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .binaryDataAttributeType:
            guard case .blob(let bytes) = row[0], !attribute.allowsExternalBinaryDataStorage else { return nil }
            return (literal, bytes)
        default: return nil
        }
    }

    private func tests(
        _ path: String, _ attribute: NSAttributeDescription, _ column: String, _ source: String
    ) throws -> [Question] {
        // Reserved words and the like are keys all the same.
        let key = path.split(separator: ".").map { "#\($0)" }.joined(separator: ".")
        var tests = [
            Question(format: "\(key) == nil", sql: "\(column) IS NULL"),
            Question(format: "\(key) != nil", sql: "\(column) IS NOT NULL"),
        ]
        guard let (literal, value) = try sample(column, attribute, source) else { return tests }
        func add(_ format: String, _ sql: String, _ arguments: Any...) {
            tests.append(Question(format: format, arguments: arguments, sql: sql))
        }
        add("\(key) == %@", "\(column) = \(literal)", value)
        add("\(key) != %@", "\(column) <> \(literal)", value)
        add("NOT \(key) == %@", "\(column) <> \(literal)", value)
        add("\(key) IN %@", "\(column) IN (\(literal))", [value] as NSArray)
        add("TERNARY(\(key) == nil, 1, 2) == 2", "\(column) IS NOT NULL")
        guard attribute.attributeType != .binaryDataAttributeType else { return tests }
        add("\(key) < %@", "\(column) < \(literal)", value)
        add("\(key) >= %@", "\(column) >= \(literal)", value)
        add("\(key) BETWEEN {%@, %@}", "\(column) = \(literal)", value, value)
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            add("\(key) * 2 + 1 > 3", "\(column) * 2 + 1 > 3")
            add("modulus:by:(\(key), 2) == 1", "\(column) % 2 = 1")
            add("(\(key) & 3) == 1", "(\(column) & 3) = 1")
            add("abs:(\(key)) > 1", "abs(\(column)) > 1")
        case .doubleAttributeType, .floatAttributeType:
            add("\(key) / 2 >= %@ / 2", "\(column) / 2 >= \(literal) / 2", value)
            // Beyond 2^53 every real is whole.
            add("floor:(\(key)) == \(key)", "\(column) = CAST(\(column) AS INTEGER) OR abs(\(column)) > 1e16")
        case .dateAttributeType:
            add("\(key) + 86400 > %@", "\(column) + 86400 > \(literal)", value)
            add("\(key) < now()", "\(column) < unixepoch() - 978307200")
        case .stringAttributeType:
            guard let text = value as? String, !text.contains("\u{0}"), let first = text.first else { break }
            let quoted = "'\(String(first) == "'" ? "''" : String(first))'"
            let length = first.unicodeScalars.count
            add("\(key) BEGINSWITH %@", "substr(\(column), 1, \(length)) = \(quoted)", String(first))
            add("\(key) CONTAINS %@", "instr(\(column), \(quoted)) > 0", String(first))
            if let last = text.last, last != "'" {
                let count = last.unicodeScalars.count
                add("\(key) ENDSWITH %@", "substr(\(column), -\(count)) = '\(last)'", String(last))
            }
            if text.utf8.allSatisfy({ $0 < 0x80 }) {
                // SQLite's own folding is good enough for ASCII.
                add("\(key) ==[c] %@", "\(column) = \(literal) COLLATE NOCASE", text.uppercased())
            }
        default: break
        }
        return tests
    }

    // MARK: Relationships

    private func toOne(
        _ entity: NSEntityDescription, _ relationship: NSRelationshipDescription, _ destination: NSEntityDescription
    ) throws -> [Question] {
        guard let key = columns.value(entity, relationship.name) else { return [] }
        let name = "#\(relationship.name)"
        var tests = [
            Question(format: "\(name) == nil", sql: "t.\(key) IS NULL"),
            Question(format: "\(name) != nil", sql: "t.\(key) IS NOT NULL"),
        ]
        for (path, attribute) in destination.allStoredAttributes {
            guard !path.contains("."), let column = columns.value(destination, path),
                let (literal, value) = try sample("d.\(column)", attribute, source(destination, "d"))
            else { continue }
            let target = "SELECT 1 FROM \(ExpectedColumns.table(of: destination)) d WHERE d.Z_PK = t.\(key)"
            tests.append(
                Question(
                    format: "\(name).#\(path) == %@", arguments: [value],
                    sql: "EXISTS (\(target) AND d.\(column) = \(literal))"))
            tests.append(
                Question(
                    format: "\(name).#\(path) == nil",
                    sql: "NOT EXISTS (\(target) AND d.\(column) IS NOT NULL)"))
        }
        return tests
    }

    private func toMany(
        _ entity: NSEntityDescription, _ relationship: NSRelationshipDescription, _ destination: NSEntityDescription
    ) throws -> [Question] {
        guard let members = columns.members(entity, relationship) else { return [] }
        let name = "#\(relationship.name)"
        let table = ExpectedColumns.table(of: destination)
        // The members that exist: a table of pairs may name others.
        let rows =
            members.member == "Z_PK"
            ? "FROM \(table) d WHERE d.\(members.owner) = t.Z_PK"
            : "FROM \(members.table) j JOIN \(table) d ON d.Z_PK = j.\(members.member) WHERE j.\(members.owner) = t.Z_PK"
        var tests = [
            Question(format: "SUBQUERY(\(name), $x, $x.entity != nil).@count > 1", sql: "(SELECT count(*) \(rows)) > 1")
        ]
        if members.member == "Z_PK" {
            tests.append(Question(format: "\(name).@count == 0", sql: "NOT EXISTS (SELECT 1 \(rows))"))
        }
        for (path, attribute) in destination.allStoredAttributes {
            guard !path.contains("."), let column = columns.value(destination, path),
                let (literal, value) = try sample("d.\(column)", attribute, source(destination, "d"))
            else { continue }
            func add(_ format: String, _ sql: String, _ arguments: Any...) {
                tests.append(Question(format: format, arguments: arguments, sql: sql))
            }
            add("ANY \(name).#\(path) == %@", "EXISTS (SELECT 1 \(rows) AND d.\(column) = \(literal))", value)
            add("NONE \(name).#\(path) == %@", "NOT EXISTS (SELECT 1 \(rows) AND d.\(column) = \(literal))", value)
            add(
                "ALL \(name).#\(path) == %@", "NOT EXISTS (SELECT 1 \(rows) AND (d.\(column) = \(literal)) IS NOT 1)",
                value)
            add(
                "SUBQUERY(\(name), $x, $x.#\(path) == %@).@count == 1",
                "(SELECT count(*) \(rows) AND d.\(column) = \(literal)) = 1", value)
            switch attribute.attributeType {
            case .binaryDataAttributeType: break
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
                add("\(name).@sum.\(path) > 2", "(SELECT total(d.\(column)) \(rows)) > 2")
                add("\(name).@avg.\(path) > 1", "(SELECT avg(d.\(column)) \(rows)) > 1")
                fallthrough
            default:
                add("\(name).@max.\(path) == %@", "(SELECT max(d.\(column)) \(rows)) = \(literal)", value)
                add("\(name).@min.\(path) < %@", "(SELECT min(d.\(column)) \(rows)) < \(literal)", value)
            }
        }
        return tests
    }
}

import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// `coredata fetch` on stores that Apple's framework wrote, compared with SQL by hand.
@Suite(.enabled(if: Corpus.isUsable && SQLiteShell.isUsable), .timeLimit(.minutes(10)))
struct FetchCorpusTests {
    /// A single-quoted SQL text.
    private static func quoted(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ",") }

    @Test(arguments: Corpus.storesWithModel)
    func countsColumnsAndSumsAgree(_ path: String) throws {
        try Corpus.withCopy(of: path) { url in
            let snapshot = try StoreSnapshot.read(url.path, timeout: 5)
            guard let model = snapshot.cachedModel, let names = snapshot.names, snapshot.modelAgrees == true else {
                return
            }
            // Those with the most rows have the most to tell; a store may have a hundred entities.
            let rows = Dictionary(snapshot.entities.map { ($0.name, $0.rowsWithSubentities) }) { first, _ in first }
            let entities = model.entities.sorted { rows[$0.name ?? "", default: 0] > rows[$1.name ?? "", default: 0] }
            for entity in entities.prefix(8) {
                let name = entity.name ?? ""
                guard let place = names.entities.first(where: { $0.name == name }) else { continue }
                let below = Self.family(entity)
                let raw =
                    "FROM \"\(place.table)\" WHERE Z_ENT IN (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME IN (\(Self.quoted(below))))"
                let count = try sqlite3(url, "SELECT COUNT(*) \(raw)")
                #expect(ToolRun("fetch", url.path, name, "--count").output == count + "\n", "\(name)")
                let all = ToolRun("fetch", url.path, name, "--format", "jsonl", "--limit", "20")
                #expect(all.code == 0, "\(name): \(all.errors)")
                #expect(all.output.split(separator: "\n").count == min(20, Int(count) ?? 0))
                try compareAttributes(entity, place, raw, url)
            }
        }
    }

    private static func family(_ entity: NSEntityDescription) -> [String] {
        [entity.name ?? ""] + entity.subentities.flatMap(family)
    }

    /// Of texts and whole numbers: the smallest and the number of values, and how many records each value has.
    private func compareAttributes(
        _ entity: NSEntityDescription, _ place: StoreNames.Entity, _ raw: String, _ url: URL
    ) throws {
        let types: Set<NSAttributeType> = [
            .stringAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        let attributes = entity.attributesByName.values.filter { types.contains($0.attributeType) && !$0.isTransient }
            .sorted { $0.name < $1.name }
        for attribute in attributes.prefix(2) {
            guard let column = place.columns[attribute.name] else { continue }
            let run = ToolRun(
                "fetch", url.path, entity.name ?? "", "--aggregate", "count(\(attribute.name))", "--format", "csv")
            #expect(
                run.output.split(separator: "\n").last.map(String.init)
                    == (try sqlite3(url, "SELECT COUNT(\"\(column)\") \(raw)")), "\(attribute.name): \(run.errors)")
            let groups = ToolRun(
                "fetch", url.path, entity.name ?? "", "--group-by", attribute.name, "--aggregate", "count()", "--sort",
                "\(attribute.name)", "--format", "jsonl")
            let counts = try groups.output.split(separator: "\n").map { line -> Int in
                let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return row?["count()"] as? Int ?? -1
            }
            let expected = try sqlite3(url, "SELECT COUNT(*) \(raw) GROUP BY \"\(column)\" ORDER BY \"\(column)\"")
            #expect(counts == expected.split(separator: "\n").compactMap { Int($0) }, "\(attribute.name)")
        }
    }
}

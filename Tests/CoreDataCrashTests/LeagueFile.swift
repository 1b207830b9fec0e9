import CoreDataTestFixtures
import Foundation
import TestSupport

/// A store of the league model as its files show it: raw SQL in the `sqlite3` shell, and the folder beside it.
struct LeagueFile {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    init(in folder: String) {
        self.init(CrashOperation.storePath(in: folder))
    }

    var supportPath: String {
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().path + "/." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
    }

    var externalPath: String { supportPath + "/_EXTERNAL_DATA" }

    /// The files of external values that there are, and what else lies in that folder.
    var externalFiles: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: externalPath)) ?? [])
    }

    /// Moves the photos of some players out of the rows: 1000 bytes and their rank each.
    func placePhotosOutside(where condition: String) throws {
        try FileManager.default.createDirectory(atPath: externalPath, withIntermediateDirectories: true)
        var sql = ""
        for line in try sqlite3(path, "SELECT Z_PK, ifnull(ZRANK, 0) FROM ZPLAYER WHERE \(condition);").split(
            separator: "\n")
        {
            let columns = line.split(separator: "|").compactMap { Int($0) }
            let name = UUID().uuidString
            let bytes = Data(repeating: 0x50, count: 1000 + columns[1])
            try bytes.write(to: URL(fileURLWithPath: externalPath + "/" + name))
            let hexadecimal = name.utf8.map { String(format: "%02X", $0) }.joined()
            sql += "UPDATE ZPLAYER SET Z_OPT = Z_OPT + 1, ZPHOTO = X'02\(hexadecimal)00' WHERE Z_PK = \(columns[0]);\n"
        }
        _ = try sqlite3(path, sql)
    }

    /// What one look at the file shows.
    struct Contents: Equatable {
        /// Whether there is a store in the file at all.
        var isStore = true
        /// As `League.lines()`.
        var lines: [String] = []
        /// Largest key given out, by entity.
        var largestKeys: [String: Int] = [:]
        /// Every row of the entities and the join tables, versions included.
        var rows: [String] = []
        /// The names of external files that rows refer to.
        var referredFiles: Set<String> = []
    }

    /// Reads the file by raw SQL, after an integrity check.
    ///
    /// - Throws: where the check finds something, or a row refers to a file that is missing.
    func contents() throws -> Contents {
        var contents = Contents()
        // The columns of the join table are called after the relationships, with the numbers of the entities.
        var names = try sqlite3(
            path,
            """
            PRAGMA integrity_check;
            SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1;
            """
        ).split(separator: "\n")
        guard names.removeFirst() == "ok" else { throw Subprocess.Failure(description: "\(path) is damaged: \(names)") }
        contents.isStore = names.contains("Z_METADATA.Z_UUID")
        guard contents.isStore else {
            guard names.isEmpty else { throw Subprocess.Failure(description: "tables without a store: \(names)") }
            return contents
        }
        let columns = names.filter { $0.hasPrefix("Z_") && ($0.hasSuffix("TAGS") || $0.hasSuffix("TEAMS")) }
        guard columns.count == 2 else { throw Subprocess.Failure(description: "no join table: \(names)") }
        let join = String(columns[0].split(separator: ".")[0])
        var sql = Self.linesSQL(join: join, tags: String(columns[0]), teams: String(columns[1]))
        sql += "SELECT 'K|' || Z_NAME || '|' || Z_MAX FROM Z_PRIMARYKEY;"
        sql += "SELECT 'F|' || hex(ZPHOTO) FROM ZPLAYER WHERE substr(ZPHOTO, 1, 1) = X'02';"
        for table in ["ZPLAYER", "ZTAG", "ZTEAM", join] {
            sql += "SELECT 'R|\(table)|', * FROM \(table) ORDER BY 1, 2, 3;"
        }
        for line in try sqlite3(path, sql).split(separator: "\n").map(String.init) {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            switch columns[0] {
            case "L": contents.lines.append(try finish(columns))
            case "K": contents.largestKeys[columns[1]] = Int(columns[2])
            case "F": contents.referredFiles.insert(Self.fileName(columns[1]))
            default: contents.rows.append(line)
            }
        }
        return contents
    }

    /// Lines as `League.lines()` gives them; photos as length and hexadecimal beginning, for `finish`.
    private static func linesSQL(join: String, tags: String, teams: String) -> String {
        """
        SELECT 'L|player ' || p.ZNAME || ' ' || ifnull(p.ZRANK, 0) || ' ' || ifnull(t.ZNAME, '-'), length(p.ZPHOTO),
            hex(substr(p.ZPHOTO, 1, 38)) FROM ZPLAYER p LEFT JOIN ZTEAM t ON t.Z_PK = p.ZTEAM ORDER BY p.ZNAME;
        SELECT 'L|team ' || t.ZNAME || ' ' || ifnull((SELECT group_concat(n, ',') FROM (SELECT g.ZNAME n FROM \(join)
            JOIN ZTAG g ON g.Z_PK = \(tags) WHERE \(teams) = t.Z_PK ORDER BY 1)), '') FROM ZTEAM t ORDER BY t.ZNAME;
        SELECT 'L|tag ' || ZNAME FROM ZTAG ORDER BY ZNAME;

        """
    }

    private func finish(_ columns: [String]) throws -> String {
        guard columns.count == 4 else { return columns[1] }
        if columns[2].isEmpty { return columns[1] + " -" }
        guard columns[3].hasPrefix("02") else { return columns[1] + " \((Int(columns[2]) ?? 0) - 1)" }
        let file = externalPath + "/" + Self.fileName(columns[3])
        guard let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int else {
            throw Subprocess.Failure(description: "the row of \(columns[1]) refers to a missing file: \(file)")
        }
        return columns[1] + " \(size)"
    }

    /// The name in a column's hexadecimal bytes: a mark, 36 characters, NUL.
    private static func fileName(_ hexadecimal: String) -> String {
        let digits = Array(hexadecimal)
        let bytes = stride(from: 2, to: min(digits.count - 1, 74), by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

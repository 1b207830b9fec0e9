import Foundation

extension ResetReport: CustomStringConvertible {
    /// Some lines for people: what was done, store by store.
    public var description: String {
        var lines = [headline]
        for store in stores { lines += store.lines }
        if contextsTold + contextsWaiting > 0 {
            var line = "contexts: \(contextsTold) told"
            if contextsWaiting > 0 { line += ", \(contextsWaiting) busy, which follow when they are free" }
            lines.append(line)
        }
        for step in steps { lines.append("\(step.name): \(Self.time(step.seconds))") }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let done = stores.filter { $0.failure == nil }.count
        let all =
            (done == stores.count ? "\(done)" : "\(done) of \(stores.count)")
            + (stores.count == 1 ? " store" : " stores")
        let what =
            switch operation {
            case .deleteAllRecords: "deleted \(recordsDeleted) records in \(all)"
            case .resetStores: "reset \(all) with \(recordsDeleted) records"
            }
        return "\(what): \(Self.time(seconds))"
    }

    static func time(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1000) }
}

extension ResetReport.Store {
    fileprivate var lines: [String] {
        var lines = [url.map { $0.isFileURL ? $0.path : $0.absoluteString } ?? type]
        if let failure {
            lines.append("  FAILED: \(failure.reason) (\(failure.domain) \(failure.code))")
        }
        let width = rows.map(\.entity.count).max() ?? 0
        for row in rows where row.before + row.after > 0 {
            let name = row.entity.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(name)  \(row.before) -> \(row.after) records")
        }
        let files = [("main", \StoreFiles.main), ("-wal", \.wal), ("-shm", \.shm), ("external", \.external)]
        for (name, file) in files {
            let before = filesBefore[keyPath: file]
            let after = filesAfter[keyPath: file]
            guard before.count + after.count > 0 else { continue }
            var line = "  \(name): \(before.bytes) -> \(after.bytes) bytes"
            if name == "external" { line += ", \(before.count) -> \(after.count) files" }
            lines.append(line)
        }
        for step in steps { lines.append("  \(step.name): \(ResetReport.time(step.seconds))") }
        return lines
    }
}

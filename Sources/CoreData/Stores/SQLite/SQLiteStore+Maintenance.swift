import CoreDataSQLite
import Foundation

extension SQLiteStore {
    /// How many pages are given back in one transaction, so that others are not kept waiting.
    private static let pagesAtOnce: Int64 = 2000

    /// Gives free pages back to the file system where the file was made for it (`auto_vacuum` 2, as Core Data's are): after a
    /// save that deleted much the file shrinks with the next checkpoint. What fails here is left to the next save.
    ///
    /// - Parameter share: which part of the free pages; a fifth after each save, as Core Data does it, keeps the pages that the
    ///   next rows will need and costs the save little. nil: all of them.
    func reclaimFreePages(_ connection: SQLiteConnection, share: Int64? = nil) {
        guard !location.isInMemory else { return }
        do {
            guard try connection.pragma("auto_vacuum") == 2 else { return }
            if let share {
                let pages = min((try connection.pragma("freelist_count") ?? 0) / share, Self.pagesAtOnce)
                if pages > 0 { try connection.prepare("PRAGMA incremental_vacuum(\(pages))").run() }
                return
            }
            while let free = try connection.pragma("freelist_count"), free > 0 {
                let statement = try connection.prepare("PRAGMA incremental_vacuum(\(min(free, Self.pagesAtOnce)))")
                try statement.run()
                guard let left = try connection.pragma("freelist_count"), left < free else { return }
            }
        } catch {
            // Somebody else is writing or the disk is full: the pages stay free and are used by later rows.
        }
    }
}

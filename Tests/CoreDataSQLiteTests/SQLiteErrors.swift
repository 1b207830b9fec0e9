import CoreDataSQLite

/// The `SQLiteError` that `body` throws; `nil` if it throws none or another one.
func sqliteError<T>(_ body: () throws -> T) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}

import Foundation

/// What a batch delete did.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// By `resultType`: `Bool`, `[NSManagedObjectID]` or `Int`.
    public let result: Any?
    /// The result type of the request.
    public let resultType: NSBatchDeleteRequestResultType

    init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}

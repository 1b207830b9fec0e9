import CoreData
import Foundation

/// A reset of which at least one store failed. Such a store is as it was; the report tells what was done in the others.
///
/// The one exception: where a new store was written but cannot be opened (no descriptors are left, say), the container has lost
/// the old one, and `loadPersistentStores` opens the new one later.
///
///     do {
///         try container.deleteAllRecords()
///     } catch let error as ResetError {
///         print(error.report)
///     }
///
/// Bridged to `NSError` it is of `NSCocoaErrorDomain`: with the code and information of the store's error if there was one store
/// only, else 134040 with the errors under `NSDetailedErrorsKey`.
public struct ResetError: Error {
    /// What was done and what was not.
    public let report: ResetReport
    /// The errors of the stores that failed, in the order of the stores in the report.
    public let failures: [any Error]
}

extension ResetError: CustomNSError {
    public static var errorDomain: String { NSCocoaErrorDomain }

    public var errorCode: Int { onlyError?.code ?? NSPersistentStoreIncompleteSaveError }

    public var errorUserInfo: [String: Any] {
        if let onlyError { return onlyError.userInfo }
        let reasons = report.stores.compactMap { store in
            store.failure.map { "\(store.url?.path ?? store.type): \($0.reason)" }
        }
        return [
            NSDetailedErrorsKey: failures.map { $0 as NSError },
            NSLocalizedFailureReasonErrorKey:
                "\(failures.count) of \(report.stores.count) stores failed. \(reasons.joined(separator: " "))",
        ]
    }

    private var onlyError: NSError? {
        guard report.stores.count == 1, let error = failures.first as NSError?, error.domain == Self.errorDomain
        else { return nil }
        return error
    }
}

extension ResetError: CustomStringConvertible {
    public var description: String { report.description }
}

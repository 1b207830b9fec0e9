import Foundation

/// What a request that runs in the background will have done. All members may be called from any thread.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    /// The context the request was executed in.
    public let managedObjectContext: NSManagedObjectContext
    /// How far the request has come. There is one only if the request was executed while a progress was the current one of its
    /// thread (`Progress.becomeCurrent(withPendingUnitCount:)`); cancelling it cancels the request.
    public let progress: Progress?

    private let lock = NSLock()
    private var error: (any Error)?
    private var isCancelledItself = false

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// Why there is no result: nil as long as the request runs, and where it succeeded.
    open var operationError: (any Error)? { lock.withLock { error } }

    /// Ends the request: it fails with `NSUserCancelledError` (3072), unless it is done already.
    open func cancel() {
        lock.withLock { isCancelledItself = true }
        progress?.cancel()
    }

    func fail(_ error: any Error) { lock.withLock { self.error = error } }

    /// - Throws: NSCocoaErrorDomain 3072 once the request was cancelled.
    func requireGoingOn() throws {
        if progress?.isCancelled ?? false || lock.withLock({ isCancelledItself }) {
            throw CocoaError(.userCancelled)
        }
    }
}

import Foundation

/// Why a request cannot be turned into SQL. Apple's framework raises an exception for most of these; here nothing that a
/// predicate can say stops the program.
enum SQLRequestError {
    /// NSCocoaErrorDomain 134060 (`NSCoreDataError`) with the reason.
    static func refused(_ reason: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: 134060,
            userInfo: [
                NSLocalizedDescriptionKey: "The request cannot be executed.", NSLocalizedFailureReasonErrorKey: reason,
            ])
    }

    static func unsupported(_ part: String) -> NSError {
        refused("A store cannot evaluate this part of the request: \(part)")
    }
}

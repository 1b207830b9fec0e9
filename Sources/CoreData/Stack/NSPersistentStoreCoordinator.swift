import Foundation

/// Joins a model, the stores and the contexts that use them.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
}

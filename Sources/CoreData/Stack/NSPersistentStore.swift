import Foundation

/// A store of a coordinator: the abstract base of the built-in stores and, later, of custom ones.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// What ids and objects hold of the store.
    let link: StoreLink

    init(link: StoreLink) {
        self.link = link
        super.init()
        link.store = self
    }

    /// The built-in engine behind the store.
    var engine: (any StoreEngine)? { nil }
}

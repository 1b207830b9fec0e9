import Foundation

/// What ids and objects know of a store: its identifier for good, the store while it is attached.
///
/// One instance a store object; it outlives the store in the ids that name it.
final class StoreLink: @unchecked Sendable {
    /// The store's UUID (`NSStoreUUIDKey`), the host of its objects' URIs.
    let identifier: String
    /// Of the last commit that the store's row cache knows of; it moves on when the store is closed.
    let newest: CommitNumber
    private let lock = NSLock()
    private weak var attached: NSPersistentStore?

    init(identifier: String, newest: CommitNumber) {
        self.identifier = identifier
        self.newest = newest
    }

    /// The store, nil once it was removed from its coordinator.
    var store: NSPersistentStore? {
        get { lock.withLock { attached } }
        set { lock.withLock { attached = newValue } }
    }
}

/// Names a managed object for good, in its store and across contexts, coordinators and processes.
///
/// An id may be passed between threads and kept after its store is gone; it is then unable to find anything. Ids are equal if
/// they name the same record of the same store, whichever coordinator or model they come from.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    let key: ObjectKey
    /// nil for an unsaved object that belongs to no store yet.
    let storeLink: StoreLink?
    /// The entity of the object, the most specific one that is known.
    public let entity: NSEntityDescription

    init(key: ObjectKey, entity: NSEntityDescription, storeLink: StoreLink?) {
        self.key = key
        self.entity = entity
        self.storeLink = storeLink
        super.init()
    }

    /// The store that holds the object, nil if the object is unsaved or the store was removed.
    public var persistentStore: NSPersistentStore? { storeLink?.store }

    /// True until the object was saved or got a permanent id by `obtainPermanentIDs(for:)`.
    public var isTemporaryID: Bool { key.isTemporary }

    /// `x-coredata://STORE-UUID/Entity/pKEY`, for an unsaved object `x-coredata:///Entity/tUUID…`.
    public func uriRepresentation() -> URL {
        var text = "x-coredata://"
        if let storeLink { text += storeLink.identifier }
        text += "/" + (Self.escaped(entity.name ?? "")) + "/"
        if key.isTemporary {
            text += "t" + Self.processIdentifier + String(key.number)
        } else {
            text += "p" + String(key.number)
        }
        return URL(string: text) ?? URL(fileURLWithPath: "/dev/null")
    }

    /// The UUID that temporary ids of this process carry, so that those of another process are not mistaken for its own.
    static let processIdentifier = UUID().uuidString

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? text
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return isEqual(to: other)
    }

    @inline(__always)
    final func isEqual(to other: NSManagedObjectID) -> Bool {
        if self === other { return true }
        guard key == other.key else { return false }
        if key.isTemporary { return true }
        if storeLink !== other.storeLink, storeLink?.identifier != other.storeLink?.identifier { return false }
        if entity === other.entity { return true }
        return entity.rootEntity === other.entity.rootEntity || entity.rootEntity.name == other.entity.rootEntity.name
    }

    open override var hash: Int { key.hashValue }

    open override var description: String {
        "0x\(String(UInt(bitPattern: hash), radix: 16)) <\(uriRepresentation().absoluteString)>"
    }
}

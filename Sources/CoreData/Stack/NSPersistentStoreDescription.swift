import Foundation

/// Describes a store that a container or coordinator is to add.
///
///     let description = NSPersistentStoreDescription(url: url)
///     description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
///     container.persistentStoreDescriptions = [description]
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
    /// A description of a SQLite store that migrates automatically with an inferred mapping and is added synchronously.
    public init(url: URL) {
        self.url = url
        super.init()
        setFlag(true, NSMigratePersistentStoresAutomaticallyOption)
        setFlag(true, NSInferMappingModelAutomaticallyOption)
    }

    /// A description of a SQLite store in memory (`file:///dev/null`).
    public override convenience init() {
        self.init(url: URL(fileURLWithPath: "/dev/null"))
    }

    private init(copying other: NSPersistentStoreDescription) {
        url = other.url
        type = other.type
        configuration = other.configuration
        options = other.options
        super.init()
    }

    /// The type; `NSSQLiteStoreType` unless set.
    open var type: String = NSSQLiteStoreType

    /// The configuration of the model whose entities the store holds; nil: all of them.
    open var configuration: String?

    /// Where the store is. A SQLite store at `/dev/null` lives in memory; those at the same `/dev/null/NAME` in one process
    /// share their data.
    open var url: URL?

    /// The options the store is added with.
    public final private(set) var options: [String: NSObject] = [:]

    /// Sets an option; nil removes it.
    open func setOption(_ option: NSObject?, forKey key: String) {
        options[key] = option
    }

    /// Whether the store is opened for reading only (`NSReadOnlyPersistentStoreOption`); false unless set.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setFlag(newValue, NSReadOnlyPersistentStoreOption) }
    }

    /// How many seconds to wait for a locked file (`NSPersistentStoreTimeoutOption`); 5 unless set.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 5 }
        set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// The SQLite pragmas that are set on every connection.
    public final var sqlitePragmas: [String: NSObject] {
        guard let pragmas = options[NSSQLitePragmasOption] as? NSDictionary else { return [:] }
        var result: [String: NSObject] = [:]
        for (name, value) in pragmas {
            if let name = name as? String { result[name] = value as? NSObject ?? (value as? String).map(NSString.init) }
        }
        return result
    }

    /// Sets a SQLite pragma; nil removes it. The value is a string.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = pragmas.isEmpty ? nil : NSDictionary(dictionary: pragmas)
    }

    /// Whether the store is added on another thread, so that loading returns at once; false unless set.
    open var shouldAddStoreAsynchronously: Bool {
        get { flag(addStoreAsynchronouslyOption) }
        set { setFlag(newValue, addStoreAsynchronouslyOption) }
    }

    /// Whether a store of another version of the model is migrated; true unless set.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { setFlag(newValue, NSMigratePersistentStoresAutomaticallyOption) }
    }

    /// Whether the mapping of such a migration is inferred; true unless set.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { setFlag(newValue, NSInferMappingModelAutomaticallyOption) }
    }

    open func copy(with zone: NSZone? = nil) -> Any { NSPersistentStoreDescription(copying: self) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && configuration == other.configuration && url == other.url
            && options == other.options
    }

    open override var hash: Int { url.hashValue ^ type.hashValue }

    open override var description: String {
        "<NSPersistentStoreDescription: type \(type), url \(url?.absoluteString ?? "none"), options \(options)>"
    }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    private func setFlag(_ value: Bool, _ key: String) { options[key] = NSNumber(value: value) }
}

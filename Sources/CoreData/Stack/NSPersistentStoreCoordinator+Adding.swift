import Foundation

extension NSPersistentStoreCoordinator {
    /// Opens a store, making it where there is none, and attaches it.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
    ///   - configuration: the configuration of the model whose entities the store holds; nil: all entities.
    ///   - storeURL: the file of a SQLite store (`/dev/null`: in memory); an in-memory store needs none.
    ///   - options: see the constants, such as `NSReadOnlyPersistentStoreOption`.
    /// - Throws: `NSError` of `NSCocoaErrorDomain`: 134000 for an unknown type, 134010 for a store of another type, 134081
    ///   for a store that is attached already, 134100 for a store of another model, 134080 and Foundation's file errors
    ///   (256, 257, 259, 260, 512, 513) where the file cannot be opened or made; SQLite's code stands under
    ///   `NSSQLiteErrorDomain`. The coordinator then is as before.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        let name = configuration == NSManagedObjectModel.defaultConfigurationName ? nil : configuration
        if let name, managedObjectModel.entities(forConfigurationName: name) == nil {
            throw StackError.unknownConfiguration(name, url: storeURL)
        }
        let location = try StoreLocation(type: storeType, url: storeURL)
        let isShareable = location != .memory
        if isShareable, !occupy(location) { throw StackError.addedTwice(url: storeURL) }
        let store: NSPersistentStore
        do {
            store = try StoreGate.alone(location) {
                try open(location, type: storeType, configuration: name, url: storeURL, options: options)
            }
        } catch {
            if isShareable { vacate(location) }
            throw error
        }
        publish(store)
        store.didAdd(to: self)
        postStoresDidChange(NSAddedPersistentStoresKey, [store])
        return store
    }

    /// Opens a store, making it where there is none, for this coordinator, which does not have it yet. To be called with the gate
    /// of its place closed.
    final func open(
        _ location: StoreLocation, type: String, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let engine = try SQLiteStore.open(
            location, type: type, url: url, model: managedObjectModel, configuration: configuration, options: options)
        let store = NSPersistentStore(
            engine: engine, location: location, model: managedObjectModel, type: type, configurationName: configuration,
            url: url ?? URL(string: "memory://" + engine.identifier), options: options, metadata: engine.metadata,
            isReadOnly: engine.isReadOnly)
        engine.onRemoval { [weak self, weak store] in
            guard let self, let store else { return }
            self.storeWasReplacedByOthers(store)
        }
        return store
    }

    /// Opens a store, making it where there is none, and attaches it.
    ///
    /// See ``addPersistentStore(ofType:configurationName:at:options:)``.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store that a description describes.
    ///
    /// - Parameters:
    ///   - storeDescription: the store's place, type, configuration and options.
    ///   - block: called once, with the error if the store could not be added: on the calling thread before the method returns, or
    ///     on another thread if the description says so.
    @preconcurrency
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        addPersistentStore(with: storeDescription) { description, _, error in block(description, error) }
    }

    /// Adds the store that a description describes, and says which it is.
    final func addPersistentStore(
        with description: NSPersistentStoreDescription,
        completion: @escaping @Sendable (NSPersistentStoreDescription, NSPersistentStore?, (any Error)?) -> Void
    ) {
        let add: @Sendable () -> Void = {
            do {
                let store = try self.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration, at: description.url,
                    options: description.options)
                completion(description, store, nil)
            } catch {
                completion(description, nil, error)
            }
        }
        if description.shouldAddStoreAsynchronously {
            DispatchQueue.global().async(execute: add)
        } else {
            add()
        }
    }

    // MARK: Looking up

    /// The attached store at a URL; paths are compared with symbolic links resolved.
    public func persistentStore(for URL: URL) -> NSPersistentStore? {
        if let store = persistentStores.first(where: { $0.url == URL }) { return store }
        guard let location = try? StoreLocation(type: NSSQLiteStoreType, url: URL), location != .memory else {
            return nil
        }
        return persistentStores.first { $0.location == location }
    }

    /// The URL of a store; for one in memory that was added without, `memory://` and its identifier.
    public func url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(fileURLWithPath: "/dev/null")
    }
}

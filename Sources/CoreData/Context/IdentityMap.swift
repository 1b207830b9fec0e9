/// The objects of one context by key: for each store a paged table a root entity, and one table for unsaved objects.
///
/// It holds its objects strongly; `takeUnused` gives up those nobody else holds. Used inside the context's queue only.
struct IdentityMap {
    /// The tables of one store.
    final class StoreTables {
        let link: StoreLink
        /// The rows the store's contexts share; kept here because faults ask for it one by one.
        let rowCache: RowCache?
        /// By the ordinal of the root entity; index 0 stays empty. Plain memory: an access costs no reference count.
        fileprivate let tables: UnsafeMutableBufferPointer<PagedTable<NSManagedObject>>

        init(_ link: StoreLink, entityCount: Int) {
            self.link = link
            rowCache = link.store?.engine?.rowCache
            tables = .allocate(capacity: entityCount + 1)
            tables.initialize(repeating: PagedTable())
        }

        deinit {
            tables.deinitialize()
            tables.deallocate()
        }

        subscript(root: Int32, key: Int64) -> NSManagedObject? {
            @inline(__always) get { tables[Int(root)][key] }
            @inline(__always) set { tables[Int(root)][key] = newValue }
        }

        var count: Int {
            var count = 0
            for index in tables.indices { count += tables[index].count }
            return count
        }

        func forEach(_ body: (NSManagedObject) throws -> Void) rethrows {
            for table in tables { try table.forEach(body) }
        }

        /// How many references to the object of a key there are besides the table's.
        func holders(_ root: Int32, _ key: Int64) -> Int { tables[Int(root)].holders(key) }

        /// Takes out the object of the key if only the table holds it.
        func takeIfUnused(_ root: Int32, _ key: Int64) -> NSManagedObject? {
            tables[Int(root)].takeIfUniquelyReferenced(key)
        }
    }

    private(set) var stores: ContiguousArray<StoreTables> = []
    /// The tables that were asked for last, which `stores` holds.
    private var recent: Unmanaged<StoreTables>?
    /// Unsaved objects by their number, counted from the first the context gave out, so that the keys are small.
    private var temporary = PagedTable<NSManagedObject>()
    private var firstTemporary: Int64?

    /// Complexity: O(entities).
    var count: Int {
        var count = temporary.count
        for store in stores { count += store.count }
        return count
    }

    // MARK: Stores

    /// The tables of a store, nil if no object of it was ever registered. O(stores).
    @inline(__always)
    func tables(of link: StoreLink) -> StoreTables? {
        for tables in stores where tables.link === link { return tables }
        return nil
    }

    /// The registered object of a saved record. Where the store is the one that was asked for last it costs no reference count.
    @inline(__always)
    mutating func object(_ number: Int64, root: Int32, in link: Held<StoreLink>) -> NSManagedObject? {
        if let recent {
            let found = recent._withUnsafeGuaranteedRef { tables in
                link.isSame(tables.link) ? .some(tables[root, number]) : NSManagedObject??.none
            }
            if let found { return found }
        }
        guard let link = link.object, let tables = tables(of: link) else { return nil }
        recent = Unmanaged.passUnretained(tables)
        return tables[root, number]
    }

    /// The tables of a store, made where there are none.
    mutating func makeTables(of link: StoreLink, entityCount: Int) -> StoreTables {
        if let present = tables(of: link) { return present }
        let made = StoreTables(link, entityCount: entityCount)
        stores.append(made)
        return made
    }

    mutating func removeTables(of link: StoreLink) {
        recent = nil
        stores.removeAll { $0.link === link }
    }

    // MARK: Unsaved objects

    subscript(temporary number: Int64) -> NSManagedObject? {
        @inline(__always)
        get {
            guard let firstTemporary else { return nil }
            return temporary[number - firstTemporary]
        }
        @inline(__always)
        set {
            let first = firstTemporary ?? number
            firstTemporary = first
            temporary[number - first] = newValue
        }
    }

    // MARK: All objects

    func forEach(_ body: (NSManagedObject) throws -> Void) rethrows {
        for store in stores { try store.forEach(body) }
        try temporary.forEach(body)
    }

    mutating func removeAll() {
        recent = nil
        stores = []
        temporary.removeAll()
    }

    /// Takes out the objects that only the map holds and that may go. The caller marks them unregistered, and lets go of
    /// them when the access to the map has ended.
    mutating func takeUnused(where mayGo: (NSManagedObject) -> Bool) -> ContiguousArray<NSManagedObject> {
        var taken = ContiguousArray<NSManagedObject>()
        for store in stores {
            for index in store.tables.indices where store.tables[index].count > 0 {
                let found = store.tables[index].takeUniquelyReferenced(where: mayGo)
                if taken.isEmpty { taken = found } else { taken.append(contentsOf: found) }
            }
        }
        if temporary.count > 0 { taken.append(contentsOf: temporary.takeUniquelyReferenced(where: mayGo)) }
        return taken
    }
}

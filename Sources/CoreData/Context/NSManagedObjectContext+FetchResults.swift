import Foundation
import FoundationBackfill

// Fetches whose results are no objects.

extension NSManagedObjectContext {
    // MARK: Ids

    func fetchIDs(_ prepared: PreparedFetch) throws -> [NSManagedObjectID] {
        var keys = try fetchKeys(prepared)
        var added: [NSManagedObject] = []
        if prepared.facts.includesPendingChanges { added = overlayPendingChanges(on: &keys, prepared) }
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(keys.count + added.count)
        for (key, link) in keys { ids.append(id(of: key, link, prepared.index)) }
        for object in added { ids.append(object.objectID) }
        let limit = prepared.plan.limit
        return limit > 0 && ids.count > limit ? Array(ids.prefix(limit)) : ids
    }

    func id(of key: ObjectKey, _ link: StoreLink, _ index: ModelIndex) -> NSManagedObjectID {
        NSManagedObjectID(key: key, entity: index.layout(key.entity)?.entity ?? NSEntityDescription(), storeLink: link)
    }

    /// The keys in the order of the request, cut to its window; without an order those of each store by primary key.
    func fetchKeys(_ prepared: PreparedFetch) throws -> [(key: ObjectKey, link: StoreLink)] {
        var keys: [(key: ObjectKey, link: StoreLink)] = []
        var plan = prepared.plan
        if prepared.stores.count > 1, !plan.sort.isEmpty {
            plan.shape = .dictionaries(DictionaryPlan([.init("objectID", .keyPath("objectID"))]))
            try forEachRow(plan, prepared.stores) { values, link in
                if let key = values[0] as? ObjectKey { keys.append((key, link)) }
            }
            return keys
        }
        plan.shape = .keys
        // An index may give the keys in another order than the rows would come in.
        if plan.sort.isEmpty { plan.sort = [NSSortDescriptor(key: "objectID", ascending: true)] }
        let isCutHere = prepared.stores.count > 1 && plan.hasWindow
        if isCutHere { plan = plan.withoutOffset }
        for store in prepared.stores {
            guard let engine = store.engine else { continue }
            let own = try engine.fetchKeys(plan)
            keys.reserveCapacity(keys.count + own.count)
            for key in own { keys.append((key, store.link)) }
        }
        guard isCutHere else { return keys }
        let rest = keys.dropFirst(prepared.plan.offset)
        return Array(prepared.plan.limit > 0 ? rest.prefix(prepared.plan.limit) : rest)
    }

    // MARK: Counts

    func count(_ prepared: PreparedFetch) throws -> Int {
        var plan = prepared.plan
        plan.sort = []
        if case .dictionaries(let dictionaries) = plan.shape {
            // Dictionaries never show pending changes. Equal ones, and groups, may come from several stores.
            if prepared.stores.count > 1, dictionaries.isDistinct || !dictionaries.groups.isEmpty {
                var count = 0
                try forEachRow(plan, prepared.stores) { _, _ in count += 1 }
                return count
            }
            return try storedCount(plan, prepared.stores)
        }
        plan.shape = .count
        guard prepared.facts.includesPendingChanges else { return try storedCount(plan, prepared.stores) }
        let pending = pendingObjects(in: prepared)
        if pending.isEmpty { return try storedCount(plan, prepared.stores) }
        // The window is that of the saved records: which ones are in it must be known.
        if plan.hasWindow { return try fetchIDs(prepared).count }
        let saved = pending.filter { !$0.state.contains(.inserted) }.map(\.objectID)
        if !saved.isEmpty {
            let others = NSCompoundPredicate(
                notPredicateWithSubpredicate: NSComparisonPredicate(
                    leftExpression: .expressionForEvaluatedObject(),
                    rightExpression: NSExpression(forConstantValue: saved), modifier: .direct, type: .in))
            plan.predicate =
                plan.predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, others]) } ?? others
        }
        let matches = matches(prepared)
        return try storedCount(plan, prepared.stores)
            + pending.count { !$0.state.contains(.deleted) && matches($0) }
    }

    private func storedCount(_ plan: FetchPlan, _ stores: [NSPersistentStore]) throws -> Int {
        func sum(_ plan: FetchPlan) throws -> Int { try stores.reduce(0) { try $0 + ($1.engine?.count(plan) ?? 0) } }
        guard stores.count > 1, plan.hasWindow else { return try sum(plan) }
        var whole = plan
        whole.limit = 0
        whole.offset = 0
        let rest = max(try sum(whole) - plan.offset, 0)
        return plan.limit > 0 ? min(rest, plan.limit) : rest
    }

    // MARK: Dictionaries

    /// - Parameter check: called for each row; what it throws ends the fetch.
    func fetchDictionaries(_ prepared: PreparedFetch, check: () throws -> Void = {}) throws -> [NSDictionary] {
        guard case .dictionaries(let dictionaries) = prepared.plan.shape else { return [] }
        let names = dictionaries.columns.map { $0.name as NSString }
        var result: [NSDictionary] = []
        try forEachRow(prepared.plan, prepared.stores) { values, link in
            try check()
            var keys: [NSString] = []
            var objects: [Any] = []
            keys.reserveCapacity(names.count)
            objects.reserveCapacity(names.count)
            for (place, name) in names.enumerated() {
                guard let value = values[place] else { continue }
                keys.append(name)
                objects.append((value as? ObjectKey).map { id(of: $0, link, prepared.index) } ?? value)
            }
            result.append(NSDictionary(objects: objects, forKeys: keys))
        }
        return result
    }

    /// The rows of a dictionary plan in its order, of several stores as if they were one. Distinct rows stand where the first
    /// of those that are equal would stand, which SQL does not promise where the order is that of values not shown.
    private func forEachRow(
        _ plan: FetchPlan, _ stores: [NSPersistentStore], _ receive: ([Any?], StoreLink) throws -> Void
    ) throws {
        guard case .dictionaries(let dictionaries) = plan.shape else { return }
        var merge = RowMerge(plan, dictionaries)
        guard stores.count > 1 || merge.dropsEqualRows else {
            for store in stores { try store.engine?.fetchDictionaries(plan) { try receive($0, store.link) } }
            return
        }
        for store in stores {
            try store.engine?.fetchDictionaries(merge.plan) { merge.rows.append((values: $0, link: store.link)) }
        }
        for row in merge.result() { try receive(row.values, row.link) }
    }
}

/// Rows that no single statement puts in order, mostly those of several stores: sorted and cut to one window.
private struct RowMerge {
    /// What each store is asked.
    private(set) var plan: FetchPlan
    var rows: [(values: [Any?], link: StoreLink)] = []
    private let window: FetchPlan
    private let columnCount: Int
    private let isDistinct: Bool
    /// Whether rows that differ in what nobody sees may be equal.
    let dropsEqualRows: Bool
    /// Where the values that are sorted by stand in a row.
    private var sortPlaces: [Int] = []

    init(_ plan: FetchPlan, _ dictionaries: DictionaryPlan) {
        var dictionaries = dictionaries
        window = plan
        columnCount = dictionaries.columns.count
        isDistinct = dictionaries.isDistinct
        self.plan = plan.withoutOffset
        for descriptor in plan.sort {
            let key = descriptor.key ?? ""
            if let place = dictionaries.columns.firstIndex(where: { $0.name == key }) {
                sortPlaces.append(place)
            } else {
                sortPlaces.append(columnCount + dictionaries.hidden.count)
                dictionaries.hidden.append(.init(key, .keyPath(key)))
            }
        }
        dropsEqualRows = isDistinct && !dictionaries.hidden.isEmpty
        // A store must give more rows than are wanted.
        if dropsEqualRows { self.plan.limit = 0 }
        self.plan.shape = .dictionaries(dictionaries)
    }

    func result() -> ArraySlice<(values: [Any?], link: StoreLink)> {
        // Swift's sort is stable.
        var result = plan.sort.isEmpty ? rows : rows.sorted { precedes($0.values, $1.values) }
        if isDistinct {
            var known: Set<[AnyHashable?]> = []
            result = result.filter { known.insert($0.values.prefix(columnCount).map(Self.hashable)).inserted }
        }
        let rest = result.dropFirst(window.offset)
        return window.limit > 0 ? rest.prefix(window.limit) : rest
    }

    private func precedes(_ left: [Any?], _ right: [Any?]) -> Bool {
        for (descriptor, place) in zip(plan.sort, sortPlaces) {
            let order = (descriptor.sortOrder ?? .compare)
                .compare(ComparableValue(left[place]), ComparableValue(right[place]))
            if order != .orderedSame { return (order == .orderedAscending) == descriptor.ascending }
        }
        return false
    }

    private static func hashable(_ value: Any?) -> AnyHashable? {
        switch value {
        // The hash of an `NSDecimalNumber` does not return on Linux.
        case let number as NSDecimalNumber: number.decimalValue
        case let text as String: ExactText(text)
        case let value as AnyHashable: value
        case let value?: String(describing: value)
        case nil: nil
        }
    }
}

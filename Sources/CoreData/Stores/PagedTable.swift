/// A table of objects by primary key: pages of 512 entries behind a sparse directory, so that a look-up in the usual range of
/// small positive keys costs two array accesses, and negative or huge keys cost one dictionary look-up.
///
/// Look-up, insertion and removal are O(1); iteration is O(pages in use). Not thread-safe: its owner guards it.
struct PagedTable<Element: AnyObject> {
    /// Entries stand in memory of the page's own: an access costs no check for uniqueness or exclusivity.
    private final class Memory {
        let items: UnsafeMutablePointer<Element?>
        /// Everything was taken out: there is nothing to look for when the page goes.
        var isEmpty = false

        init() {
            items = .allocate(capacity: pageSize)
            items.initialize(repeating: nil, count: pageSize)
        }

        deinit {
            if !isEmpty { items.deinitialize(count: pageSize) }
            items.deallocate()
        }
    }

    /// A page as accesses see it, without a reference to be counted. What keeps it alive stands beside it.
    private struct Page {
        var items: UnsafeMutablePointer<Element?>?
        var used = 0
    }

    private static var pageSize: Int { 512 }
    private static var pageShift: Int64 { 9 }
    /// Keys below this many pages stand in the dense part of the directory.
    private static var densePages: Int { 1 << 17 }

    private var dense: ContiguousArray<Page> = []
    private var denseMemory: ContiguousArray<Memory?> = []
    private var sparse: [Int64: (page: Page, memory: Memory)] = [:]
    private(set) var count = 0

    subscript(key: Int64) -> Element? {
        @inline(__always)
        get {
            let number = key >> Self.pageShift
            if number >= 0, number < Int64(dense.count) {
                guard let items = dense[Int(number)].items else { return nil }
                return items[Int(key & 511)]
            }
            if sparse.isEmpty { return nil }
            return sparse[number]?.page.items?[Int(key & 511)]
        }
        @inline(__always)
        set {
            guard let newValue else {
                remove(key)
                return
            }
            let number = key >> Self.pageShift
            if number >= 0, number < Int64(dense.count), let items = dense[Int(number)].items {
                let item = items + Int(key & 511)
                if item.pointee == nil {
                    dense[Int(number)].used += 1
                    count += 1
                }
                item.pointee = newValue
            } else {
                insertFar(newValue, key)
            }
        }
    }

    /// How many references to the element of a key there are besides the table's; 0 where there is no element.
    ///
    /// The memory is looked at as it is: a reference that was taken for looking would count.
    func holders(_ key: Int64) -> Int {
        guard let items = page(key >> Self.pageShift)?.items else { return 0 }
        let item = UnsafeRawPointer(items + Int(key & 511)).loadUnaligned(as: UnsafeMutableRawPointer?.self)
        return item.map { referenceCount($0) - 1 } ?? 0
    }

    @discardableResult
    mutating func remove(_ key: Int64) -> Element? {
        let number = key >> Self.pageShift
        guard let items = page(number)?.items, let old = items[Int(key & 511)] else { return nil }
        items[Int(key & 511)] = nil
        noteRemoved(1, from: number)
        return old
    }

    mutating func removeAll() {
        dense = []
        denseMemory = []
        sparse = [:]
        count = 0
    }

    func forEach(_ body: (Element) throws -> Void) rethrows {
        for page in dense { try Self.visit(page, body) }
        for entry in sparse.values { try Self.visit(entry.page, body) }
    }

    /// Takes out every element that nobody but the table holds and that may go, and returns them. The caller marks them
    /// unregistered first and releases them after the access to the table has ended.
    mutating func takeUniquelyReferenced(where mayGo: (Element) -> Bool) -> ContiguousArray<Element> {
        var taken = ContiguousArray<Element>()
        for number in dense.indices { take(Int64(number), mayGo, &taken) }
        for number in Array(sparse.keys) { take(number, mayGo, &taken) }
        return taken
    }

    /// Takes out the element of a key if nobody but the table holds it.
    mutating func takeIfUniquelyReferenced(_ key: Int64) -> Element? {
        guard let items = page(key >> Self.pageShift)?.items, items[Int(key & 511)] != nil,
            isKnownUniquelyReferenced(&items[Int(key & 511)])
        else { return nil }
        return remove(key)
    }

    // MARK: Pages

    @inline(__always)
    private func page(_ number: Int64) -> Page? {
        number >= 0 && number < Int64(dense.count) ? dense[Int(number)] : sparse[number]?.page
    }

    private mutating func take(
        _ number: Int64, _ mayGo: (Element) -> Bool, _ taken: inout ContiguousArray<Element>
    ) {
        guard let items = page(number)?.items else { return }
        var removed = 0
        for index in 0..<Self.pageSize {
            guard items[index] != nil, isKnownUniquelyReferenced(&items[index]) else { continue }
            guard let item = items[index], mayGo(item) else { continue }
            items[index] = nil
            taken.append(item)
            removed += 1
        }
        noteRemoved(removed, from: number)
    }

    private static func visit(_ page: Page, _ body: (Element) throws -> Void) rethrows {
        guard let items = page.items else { return }
        for index in 0..<pageSize {
            if let item = items[index] { try body(item) }
        }
    }

    /// Counts what was taken out of a page, and lets go of it once it is empty.
    private mutating func noteRemoved(_ removed: Int, from number: Int64) {
        count -= removed
        if number >= 0, number < Int64(dense.count) {
            dense[Int(number)].used -= removed
            guard dense[Int(number)].used == 0 else { return }
            dense[Int(number)] = Page()
            denseMemory[Int(number)]?.isEmpty = true
            denseMemory[Int(number)] = nil
        } else if let entry = sparse[number] {
            let used = entry.page.used - removed
            entry.memory.isEmpty = used == 0
            sparse[number] = used == 0 ? nil : (Page(items: entry.page.items, used: used), entry.memory)
        }
    }

    /// Inserts an element whose page is not there yet, or stands in the sparse part.
    @inline(never)
    private mutating func insertFar(_ element: Element, _ key: Int64) {
        let number = key >> Self.pageShift
        if number >= 0, number < Int64(Self.densePages), makeRoom(for: Int(number)) {
            if dense[Int(number)].items == nil {
                let memory = Memory()
                denseMemory[Int(number)] = memory
                dense[Int(number)] = Page(items: memory.items)
            }
            self[key] = element
            return
        }
        var entry: (page: Page, memory: Memory)
        if let known = sparse[number] {
            entry = known
        } else {
            let memory = Memory()
            entry = (Page(items: memory.items), memory)
        }
        let items = entry.memory.items
        if items[Int(key & 511)] == nil {
            entry.page.used += 1
            count += 1
        }
        items[Int(key & 511)] = element
        sparse[number] = entry
    }

    /// Sees to it that the dense part reaches to the page; false where that would be a large directory for a lone large key: it
    /// grows by doubling only.
    private mutating func makeRoom(for index: Int) -> Bool {
        if index < dense.count { return true }
        if index > max(64, dense.count * 2) { return false }
        let grown = max(index + 1, dense.count * 2)
        dense.append(contentsOf: repeatElement(Page(), count: grown - dense.count))
        denseMemory.append(contentsOf: repeatElement(nil, count: grown - denseMemory.count))
        for (number, entry) in sparse where number >= 0 && number < Int64(grown) {
            dense[Int(number)] = entry.page
            denseMemory[Int(number)] = entry.memory
            sparse[number] = nil
        }
        return true
    }
}

/// How many strong references an object has; the runtime's own function.
@_silgen_name("swift_retainCount")
private func referenceCount(_ object: UnsafeMutableRawPointer) -> Int

/// A table of objects by primary key: pages of 512 entries behind a sparse directory, so that a look-up in the usual range of
/// small positive keys costs two array accesses, and negative or huge keys cost one dictionary look-up.
///
/// Look-up, insertion and removal are O(1); iteration is O(pages in use). Not thread-safe: its owner guards it.
struct PagedTable<Element: AnyObject> {
    /// Entries stand in memory of the page's own: an access costs no check for uniqueness or exclusivity.
    private final class Page {
        let items: UnsafeMutablePointer<Element?>
        @exclusivity(unchecked) var used = 0

        init() {
            items = .allocate(capacity: pageSize)
            items.initialize(repeating: nil, count: pageSize)
        }

        deinit {
            items.deinitialize(count: pageSize)
            items.deallocate()
        }
    }

    private static var pageSize: Int { 512 }
    private static var pageShift: Int64 { 9 }
    /// Keys below this many pages stand in the dense part of the directory.
    private static var densePages: Int { 1 << 17 }

    private var dense: ContiguousArray<Page?> = []
    private var sparse: [Int64: Page] = [:]
    private(set) var count = 0

    subscript(key: Int64) -> Element? {
        @inline(__always)
        get {
            let number = key >> Self.pageShift
            if number >= 0, number < Int64(dense.count) {
                guard let page = dense[Int(number)] else { return nil }
                return page.items[Int(key & 511)]
            }
            if sparse.isEmpty { return nil }
            return sparse[number]?.items[Int(key & 511)]
        }
        set {
            if let newValue {
                let page = pageForWriting(key >> Self.pageShift)
                let index = Int(key & 511)
                if page.items[index] == nil {
                    page.used += 1
                    count += 1
                }
                page.items[index] = newValue
            } else {
                remove(key)
            }
        }
    }

    @discardableResult
    mutating func remove(_ key: Int64) -> Element? {
        let number = key >> Self.pageShift
        let index = Int(key & 511)
        let page: Page?
        let isDense = number >= 0 && number < Int64(dense.count)
        page = isDense ? dense[Int(number)] : sparse[number]
        guard let page, let old = page.items[index] else { return nil }
        page.items[index] = nil
        page.used -= 1
        count -= 1
        if page.used == 0 {
            if isDense { dense[Int(number)] = nil } else { sparse[number] = nil }
        }
        return old
    }

    mutating func removeAll() {
        dense = []
        sparse = [:]
        count = 0
    }

    func forEach(_ body: (Element) throws -> Void) rethrows {
        for case let page? in dense { try Self.visit(page, body) }
        for page in sparse.values { try Self.visit(page, body) }
    }

    /// Takes out every element that nobody but the table holds and that may go, and returns them. The caller marks them
    /// unregistered first and releases them after the access to the table has ended.
    mutating func takeUniquelyReferenced(where mayGo: (Element) -> Bool) -> ContiguousArray<Element> {
        var taken = ContiguousArray<Element>()
        for number in dense.indices {
            guard let page = dense[number] else { continue }
            count -= Self.take(page, mayGo, &taken)
            if page.used == 0 { dense[number] = nil }
        }
        for (number, page) in sparse {
            count -= Self.take(page, mayGo, &taken)
            if page.used == 0 { sparse[number] = nil }
        }
        return taken
    }

    /// Takes out the element of a key if nobody but the table holds it.
    mutating func takeIfUniquelyReferenced(_ key: Int64) -> Element? {
        let number = key >> Self.pageShift
        let index = Int(key & 511)
        let isDense = number >= 0 && number < Int64(dense.count)
        guard let page = isDense ? dense[Int(number)] : sparse[number], page.items[index] != nil,
            isKnownUniquelyReferenced(&page.items[index])
        else { return nil }
        return remove(key)
    }

    private static func take(
        _ page: Page, _ mayGo: (Element) -> Bool, _ taken: inout ContiguousArray<Element>
    ) -> Int {
        var removed = 0
        for index in 0..<pageSize {
            guard page.items[index] != nil, isKnownUniquelyReferenced(&page.items[index]) else { continue }
            guard let item = page.items[index], mayGo(item) else { continue }
            page.items[index] = nil
            taken.append(item)
            removed += 1
        }
        page.used -= removed
        return removed
    }

    private static func visit(_ page: Page, _ body: (Element) throws -> Void) rethrows {
        for index in 0..<pageSize {
            if let item = page.items[index] { try body(item) }
        }
    }

    private mutating func pageForWriting(_ number: Int64) -> Page {
        if number >= 0, number < Int64(Self.densePages) {
            let index = Int(number)
            if index >= dense.count {
                // A lone large key must not make a large directory: the dense part grows only by doubling.
                if index > max(64, dense.count * 2) { return sparsePage(number) }
                let grown = max(index + 1, dense.count * 2)
                dense.append(contentsOf: repeatElement(nil, count: grown - dense.count))
                for (number, page) in sparse where number >= 0 && number < Int64(grown) {
                    dense[Int(number)] = page
                    sparse[number] = nil
                }
            }
            if let page = dense[index] { return page }
            let page = Page()
            dense[index] = page
            return page
        }
        return sparsePage(number)
    }

    private mutating func sparsePage(_ number: Int64) -> Page {
        if let page = sparse[number] { return page }
        let page = Page()
        sparse[number] = page
        return page
    }
}

import Testing

@testable import CoreData

/// Objects by key, in pages of 512: dense ones for small keys, others one by one.
@Suite struct PagedTableTests {
    private final class Item {
        let key: Int64
        init(_ key: Int64) { self.key = key }
    }

    /// Keys of the first page, of a later one, of a negative and of a huge one.
    static let firstKeys: [Int64] = [0, 600, -512, 1 << 40]

    @Test(arguments: firstKeys)
    func whatStaysIsFoundWhileTheRestOfItsPageGoes(_ first: Int64) {
        var table = PagedTable<Item>()
        let items = (0..<3).map { Item(first + $0) }
        for item in items { table[item.key] = item }
        #expect(table.count == 3)
        #expect(table.remove(first) === items[0])
        #expect(table.count == 2)
        table[first + 2] = nil
        #expect(table.count == 1)
        #expect(table[first] == nil && table[first + 1] === items[1] && table[first + 2] == nil)
        #expect(table.remove(first) == nil)
        #expect(table.count == 1)
        #expect(table.remove(first + 1) === items[1])
        #expect(table.count == 0)
        #expect(table[first + 1] == nil)
        table[first] = items[0]
        #expect(table.count == 1)
        #expect(table[first] === items[0] && table[first + 1] == nil)
    }

    @Test(arguments: firstKeys)
    func anObjectInThePlaceOfAnotherIsCountedOnce(_ key: Int64) {
        var table = PagedTable<Item>()
        let items = [Item(key), Item(key)]
        for item in items { table[key] = item }
        #expect(table.count == 1)
        #expect(table[key] === items[1])
        #expect(table.remove(key) === items[1])
        #expect(table.count == 0)
    }

    @Test func aLonePageIsFoundOnceTheDirectoryHasGrownPastIt() {
        var table = PagedTable<Item>()
        // Page 200 comes first, too far off for a directory that is empty.
        let items = [200, 60, 120, 130, 240].map { Item($0 * 512 + 7) }
        for item in items { table[item.key] = item }
        #expect(table.count == 5)
        for item in items { #expect(table[item.key] === item) }
        var visited: [Int64] = []
        table.forEach { visited.append($0.key) }
        #expect(visited.sorted() == items.map(\.key).sorted())
        for item in items { #expect(table.remove(item.key) === item) }
        #expect(table.count == 0)
    }

    @Test(arguments: firstKeys)
    func whatNobodyElseHoldsIsTakenOut(_ first: Int64) {
        var table = PagedTable<Item>()
        let held = Item(first + 1)
        table[first + 1] = held
        for offset in [0, 2, 3] as [Int64] { table[first + offset] = Item(first + offset) }
        let taken = table.takeUniquelyReferenced { $0.key != first + 3 }
        #expect(taken.map(\.key) == [first, first + 2])
        #expect(table.count == 2)
        #expect(table[first + 1] === held && table[first + 3]?.key == first + 3)
        #expect(table.takeIfUniquelyReferenced(first + 1) == nil)
        #expect(table.takeIfUniquelyReferenced(first + 3)?.key == first + 3)
        #expect(table.count == 1)
    }
}

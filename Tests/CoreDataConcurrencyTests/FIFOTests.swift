import Testing

@testable import CoreData

@Suite("First-in, first-out line")
struct FIFOTests {
    @Test("elements come out in the order they went in, over any mix of both")
    func keepsOrder() {
        var line = FIFO<Int>()
        var next = 0
        var expected = 0
        for round in 0..<500 {
            for _ in 0..<(round % 7) {
                line.append(next)
                next += 1
            }
            for _ in 0..<(round % 5) {
                guard let value = line.popFirst() else { break }
                #expect(value == expected)
                expected += 1
            }
        }
        while let value = line.popFirst() {
            #expect(value == expected)
            expected += 1
        }
        #expect(expected == next)
        #expect(line.isEmpty)
        #expect(line.first == nil)
    }

    @Test("an element taken out of the middle leaves the others in order")
    func removesFromTheMiddle() {
        for taken in 0..<6 {
            var line = FIFO<Int>()
            for value in -2..<6 { line.append(value) }
            _ = line.popFirst()
            _ = line.popFirst()
            line.removeFirst { $0 == taken }
            line.removeFirst { $0 == 100 }
            line.append(6)
            var rest: [Int] = []
            while let value = line.popFirst() { rest.append(value) }
            #expect(rest == (0...6).filter { $0 != taken })
        }
        var last = FIFO<Int>()
        last.append(1)
        last.removeFirst { $0 == 1 }
        #expect(last.isEmpty && last.first == nil)
    }
}

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
}

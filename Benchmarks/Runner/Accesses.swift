/// What typed accessors cost: reads of loaded objects, against reads of plain Swift objects through a protocol.
enum Accesses {
    static let objectCount = 1000
    private static let rounds = 5000

    @inline(never)
    private static func sumOfNumbers(_ persons: [any PersonValues]) -> Double {
        var sum = 0.0
        for person in persons { sum += Double(person.age) + person.score + (person.isActive ? 1 : 0) }
        return sum
    }

    @inline(never)
    private static func sumOfNumbers(_ persons: [Person]) -> Double {
        var sum = 0.0
        for person in persons { sum += Double(person.age) + person.score + (person.isActive ? 1 : 0) }
        return sum
    }

    @inline(never)
    private static func sumOfTexts(_ persons: [any PersonValues]) -> Double {
        var sum = 0
        for person in persons { sum += person.name?.utf8.count ?? 0 }
        return Double(sum)
    }

    @inline(never)
    private static func sumOfTexts(_ persons: [Person]) -> Double {
        var sum = 0
        for person in persons { sum += person.name?.utf8.count ?? 0 }
        return Double(sum)
    }

    /// The objects behind the protocol.
    private static func hidden(_ persons: [PlainObjects.Person]) -> [any PersonValues] {
        persons.count == objectCount ? persons : [OtherValues()]
    }

    static func measureNumbers(_ plain: [PlainObjects.Person]) -> Measurement {
        let persons = hidden(plain)
        return Measurement { (0..<rounds).reduce(0) { sum, _ in sum + sumOfNumbers(persons) } }
    }

    static func measureNumbers(_ persons: [Person]) -> Measurement {
        // The first read of an object sets up what the next ones find.
        _ = sumOfNumbers(persons)
        return Measurement { (0..<rounds).reduce(0) { sum, _ in sum + sumOfNumbers(persons) } }
    }

    static func measureTexts(_ plain: [PlainObjects.Person]) -> Measurement {
        let persons = hidden(plain)
        return Measurement { (0..<rounds).reduce(0) { sum, _ in sum + sumOfTexts(persons) } }
    }

    static func measureTexts(_ persons: [Person]) -> Measurement {
        _ = sumOfTexts(persons) + sumOfTexts(persons)
        return Measurement { (0..<rounds).reduce(0) { sum, _ in sum + sumOfTexts(persons) } }
    }
}

/// The protocol through which plain objects are read.
protocol PersonValues {
    var name: String? { get }
    var age: Int32 { get }
    var score: Double { get }
    var isActive: Bool { get }
}

extension PlainObjects.Person: PersonValues {}

/// A second one, so that no optimiser knows the class behind the protocol.
struct OtherValues: PersonValues {
    var name: String?
    var age: Int32 = 0
    var score = 0.0
    var isActive = false
}

// A file of the same client that imports CoreData alone: Foundation comes with it.
import CoreData
import Testing

@Test("a file that imports CoreData alone has Foundation's types and the predicate language")
func coreDataAloneIsEnough() {
    let moment = Date(timeIntervalSinceReferenceDate: 0)
    let later = NSPredicate(format: "when > %@", moment as NSDate)
    #expect(later.evaluate(with: ["when": Date(timeIntervalSinceReferenceDate: 1)] as NSDictionary))
    #expect(!later.evaluate(with: ["when": moment] as NSDictionary))
}

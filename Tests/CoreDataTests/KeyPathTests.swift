import CoreData
import Foundation
import Testing

@testable import CoreData

private final class Member: NSManagedObject {
    var nickname: String? { nil }
    var age: Int32 { 0 }
}

/// Two classes that models know by one bare name.
private enum First {
    final class Twin: NSManagedObject {}
}
private enum Second {
    final class Twin: NSManagedObject {}
}

@Suite struct KeyPathTests {
    @Test func aRequestTakesKeyPathsThatAreRegistered() {
        Member._registerKeyPaths { $0.add(\Member.age, "age") }
        let request = NSFetchRequest<Member>(entityName: "Member")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Member.age, ascending: true)]
        #expect(request.sortDescriptors?.first?.key == "age")
        #expect(NSExpression(forKeyPath: \Member.age).keyPath == "age")
    }

    @Test func aKeyPathThatIsNotRegisteredStopsTheProgramAndSaysHow() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSExpression(forKeyPath: \Member.nickname)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("KeyPathNames.register") && message.contains("Member"))
    }

    @Test func aBareNameOfTwoClassesMeansNeither() {
        First.Twin._register(as: ".Twin", "Unique.First")
        Second.Twin._register(as: ".Twin")
        #expect(NSManagedObject.runtimeClass(of: ObjectTestModel.entity("A", class: ".Twin")) == NSManagedObject.self)
        #expect(NSManagedObject.runtimeClass(of: ObjectTestModel.entity("B", class: "Unique.First")) == First.Twin.self)
    }
}

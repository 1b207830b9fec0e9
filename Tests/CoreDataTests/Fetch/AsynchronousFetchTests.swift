import CoreData
import Foundation
import TestSupport
import Testing

/// `NSAsynchronousFetchRequest` and its result.
@Suite(.timeLimit(.minutes(5))) struct AsynchronousFetchTests {
    private let stack: OfficeStack
    private let context: NSManagedObjectContext

    init() throws {
        stack = try OfficeStack(.file)
        try stack.fill(("a", 1), ("b", 2), ("c", 3))
        context = stack.makeContext()
    }

    private func request<T>(_ type: T.Type, _ change: (NSFetchRequest<T>) -> Void = { _ in }) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        change(request)
        return request
    }

    /// Executes a request and waits for its block, without keeping a thread.
    @discardableResult
    private func run<T>(
        _ fetch: NSFetchRequest<T>, progress: Progress? = nil, estimate: Int = 0,
        started: (NSAsynchronousFetchResult<T>) -> Void = { _ in }
    ) async throws -> NSAsynchronousFetchResult<T> {
        let isDone = Box(false)
        let isInContext = Box(false)
        let context = context
        let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in
            isInContext.value = (try? fetch.execute()) != nil
            isDone.value = true
        }
        request.estimatedResultCount = estimate
        let running = try context.performAndWait { () throws -> NSAsynchronousFetchResult<T> in
            progress?.becomeCurrent(withPendingUnitCount: 1)
            defer { progress?.resignCurrent() }
            let result = try #require(try context.execute(request) as? NSAsynchronousFetchResult<T>)
            #expect(result.finalResult == nil)
            started(result)
            return result
        }
        while !isDone.value { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(isInContext.value)
        #expect(running.managedObjectContext === context)
        #expect(running.fetchRequest === request)
        return running
    }

    private final class Box: @unchecked Sendable {
        private let lock = NSLock()
        private var stored: Bool
        var value: Bool {
            get { lock.withLock { stored } }
            set { lock.withLock { stored = newValue } }
        }
        init(_ value: Bool) { stored = value }
    }

    @Test func theBlockGetsTheObjects() async throws {
        let result = try await run(request(NSManagedObject.self))
        #expect(result.operationError == nil)
        #expect(result.finalResult?.map(\.nameValue) == ["c", "b", "a"])
        #expect(result.finalResult?.allSatisfy { $0.managedObjectContext === context } == true)
        #expect(result.progress == nil)
    }

    @Test func unsavedChangesAreLaidOver() async throws {
        context.performAndWait { _ = context.person("bb", 9) }
        #expect(try await run(request(NSManagedObject.self)).finalResult?.map(\.nameValue) == ["c", "bb", "b", "a"])
    }

    @Test func eachResultType() async throws {
        let ids = try await run(request(NSManagedObjectID.self) { $0.resultType = .managedObjectIDResultType })
            .finalResult
        #expect(ids?.count == 3)
        let count = try await run(request(NSNumber.self) { $0.resultType = .countResultType }).finalResult
        #expect(count == [3])
        let rows = try await run(
            request(NSDictionary.self) {
                $0.resultType = .dictionaryResultType
                $0.propertiesToFetch = ["name"]
            }
        ).finalResult
        #expect(rows?.map { $0["name"] as? String } == ["c", "b", "a"])
        let untyped = try await run(request(NSFetchRequestResult.self)).finalResult
        #expect(untyped?.count == 3)
    }

    @Test func limitOffsetAndFaults() async throws {
        let result = try await run(
            request(NSManagedObject.self) {
                $0.fetchOffset = 1
                $0.fetchLimit = 1
                $0.returnsObjectsAsFaults = false
            })
        #expect(result.finalResult?.map(\.nameValue) == ["b"])
        #expect(result.finalResult?.first?.isFault == false)
    }

    @Test func progressCountsObjects() async throws {
        let writer = stack.makeContext()
        for number in 0..<1000 { writer.person("n\(number)") }
        try writer.save()
        let progress = Progress(totalUnitCount: 1)
        let result = try await run(request(NSManagedObject.self), progress: progress, estimate: 1003)
        let own = try #require(result.progress)
        #expect(own.completedUnitCount == 1003)
        #expect(own.totalUnitCount == 1003)
        #expect(progress.fractionCompleted == 1)
    }

    @Test func cancellingTheProgressEndsIt() async throws {
        let progress = Progress(totalUnitCount: 1)
        let result = try await run(request(NSManagedObject.self), progress: progress) { _ in progress.cancel() }
        #expect((result.operationError as? NSError)?.domain == NSCocoaErrorDomain)
        #expect((result.operationError as? NSError)?.code == 3072)
        #expect(result.finalResult == nil)
    }

    @Test func cancellingTheResultEndsIt() async throws {
        let result = try await run(request(NSDictionary.self) { $0.resultType = .dictionaryResultType }) { $0.cancel() }
        #expect((result.operationError as? CocoaError)?.code == .userCancelled)
        #expect(result.finalResult == nil)
    }

    @Test func aFailureIsToldByTheResult() async throws {
        let isDone = Box(false)
        let fetch = request(NSManagedObject.self) { $0.predicate = NSPredicate(format: "nothing == 1") }
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in isDone.value = true }
        let result = try context.performAndWait { try context.execute(asynchronous) }
        while !isDone.value { try await Task.sleep(nanoseconds: 1_000_000) }
        let told = try #require(result as? NSAsynchronousFetchResult<NSManagedObject>)
        #expect((told.operationError as? NSError)?.code == 134060)
        #expect(told.finalResult == nil)
    }

    @Test func changingTheRequestMeanwhileChangesNothing() async throws {
        let fetch = request(NSManagedObject.self)
        let result = try await run(fetch) { _ in fetch.fetchLimit = 1 }
        #expect(result.finalResult?.count == 3)
    }

    @Test func itMayHaveNoBlock() async throws {
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request(NSManagedObject.self))
        #expect(asynchronous.completionBlock == nil)
        #expect(asynchronous.requestType == .fetchRequestType)
        let result = try context.performAndWait {
            try context.execute(asynchronous) as? NSAsynchronousFetchResult<NSManagedObject>
        }
        while result?.finalResult == nil { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(result?.finalResult?.count == 3)
    }
}

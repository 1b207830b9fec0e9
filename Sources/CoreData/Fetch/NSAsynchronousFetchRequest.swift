import Foundation

/// What `NSAsynchronousFetchRequest.completionBlock` is.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<NSFetchRequestResult>) -> Void

/// A fetch that reads the stores in the background, while its context is free for other work.
///
///     let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest()) { result in
///         print(result.finalResult?.count ?? 0, "books")
///     }
///     let running = try context.execute(request) as? NSAsynchronousFetchResult<Book>
///
/// The block is called in the context's queue, whether the fetch succeeded or not.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest, @unchecked Sendable {
    // No stored property's type may depend on the result type, which can be a marker protocol.
    private let inner: NSPersistentStoreRequest
    private let completion: ((AnyObject) -> Void)?

    /// How many objects are expected, for the progress; 0: not known.
    open var estimatedResultCount = 0

    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        inner = request
        completion = blk.map { block in
            { block(unsafeDowncast($0, to: NSAsynchronousFetchResult<ResultType>.self)) }
        }
        super.init()
    }

    /// The fetch.
    open var fetchRequest: NSFetchRequest<ResultType> {
        unsafeDowncast(inner, to: NSFetchRequest<ResultType>.self)
    }

    /// Called in the context's queue when the fetch has ended.
    open var completionBlock: NSPersistentStoreAsynchronousFetchResultCompletionBlock? {
        completion.map { completion in { completion($0) } }
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        guard let request = fetchRequest.copy() as? NSFetchRequest<ResultType> else {
            stackMisuse("the copy of a fetch request is no fetch request")
        }
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completion: completion)
        copy.estimatedResultCount = estimatedResultCount
        copy.affectedStores = affectedStores
        return copy
    }

    private init(fetchRequest request: NSFetchRequest<ResultType>, completion: ((AnyObject) -> Void)?) {
        inner = request
        self.completion = completion
        super.init()
    }
}

/// The result of a fetch in the background.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult,
    @unchecked Sendable
{
    private let request: NSPersistentStoreRequest
    private let lock = NSLock()
    private var objects: [AnyObject]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ progress: Progress?
    ) {
        self.request = request
        super.init(context, progress)
    }

    /// The request whose result it is.
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> {
        unsafeDowncast(request, to: NSAsynchronousFetchRequest<ResultType>.self)
    }

    /// What was fetched; nil as long as the fetch runs, and where it failed. To be used in the context's queue.
    open var finalResult: [ResultType]? {
        // One word an element on both sides, and of the right class: the fetch has checked it.
        lock.withLock { objects }.map { unsafeBitCast($0, to: [ResultType].self) }
    }

    func finish(_ objects: [AnyObject]) { lock.withLock { self.objects = objects } }
}

/// An asynchronous fetch request of any result type.
protocol AsynchronousFetch {
    /// Begins to fetch, and returns at once.
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult
}

extension NSAsynchronousFetchRequest: AsynchronousFetch {
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let given = fetchRequest
        // The client may change the request meanwhile.
        let facts = FetchRequestFacts(copying: given.facts)
        let prepared = try context.prepare(facts, affectedStores ?? given.affectedStores)
        given.facts.subject = facts.subject
        var progress: Progress?
        if Progress.current() != nil {
            progress = Progress(totalUnitCount: estimatedResultCount > 0 ? Int64(estimatedResultCount) : -1)
        }
        let result = NSAsynchronousFetchResult(self, context, progress)
        let completion = Unchecked(completion)
        let reading = Unchecked(prepared)
        let readsRows = context.readsRows(prepared)
        DispatchQueue.global().async {
            let read = Unchecked(Result { try context.read(reading.value, readsRows: readsRows, for: result) })
            context.performLater {
                do {
                    let objects = try context.finish(reading.value, with: read.value.get(), for: result)
                    context.requireType(ResultType.self, objects, reading.value.facts)
                    result.finish(objects)
                } catch {
                    result.fail(error)
                }
                completion.value?(result)
            }
        }
        return result
    }
}

/// What was read of the stores before the context's turn came.
private enum ReadAhead {
    case nothing
    /// One list a store.
    case rows([ContiguousArray<Row>])
    case dictionaries([NSDictionary])
}

extension NSManagedObjectContext {
    /// Reads what can be read without the context: its objects and unsaved changes are left alone.
    fileprivate nonisolated func read(
        _ prepared: PreparedFetch, readsRows: Bool, for result: NSPersistentStoreAsynchronousResult
    ) throws -> ReadAhead {
        try result.requireGoingOn()
        func advance(_ count: Int) throws {
            try result.requireGoingOn()
            result.progress?.completedUnitCount += Int64(count)
        }
        switch prepared.facts.resultType {
        case .managedObjectIDResultType, .countResultType: return .nothing
        case .dictionaryResultType: return .dictionaries(try fetchDictionaries(prepared) { try advance(1) })
        default:
            guard readsRows else { return .nothing }
            return .rows(
                try prepared.stores.map { store in
                    var rows = ContiguousArray<Row>()
                    try store.engine?.fetchRows(prepared.plan) { chunk in
                        rows.append(contentsOf: chunk)
                        try advance(chunk.count)
                    }
                    return rows
                })
        }
    }

    /// The result, in the context's queue.
    fileprivate func finish(
        _ prepared: PreparedFetch, with read: ReadAhead, for result: NSPersistentStoreAsynchronousResult
    ) throws -> [AnyObject] {
        try result.requireGoingOn()
        processPendingChanges()
        let objects: [AnyObject] =
            switch read {
            case .nothing: try executeFetch(prepared)
            case .rows(let rows): try fetchObjects(prepared, rows: rows)
            case .dictionaries(let dictionaries): dictionaries
            }
        if let progress = result.progress {
            // A progress without any units never counts as finished.
            progress.totalUnitCount = Int64(max(objects.count, 1))
            progress.completedUnitCount = progress.totalUnitCount
        }
        return objects
    }
}

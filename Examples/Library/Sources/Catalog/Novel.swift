import CoreData
import Foundation

/// A subclass in a file of its own, with stored properties, its own initialiser and life-cycle hooks.
public final class Novel: Book {
    @NSManaged public var genre: String?

    public var log: [String] = []
    private var cachedTitle: String?

    public override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        log.append("init")
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        genre = "unknown"
        log.append("insert")
    }

    public override func awakeFromFetch() {
        super.awakeFromFetch()
        log.append("fetch")
    }

    public override func willSave() {
        super.willSave()
        log.append("save")
    }

    public override func didTurnIntoFault() {
        cachedTitle = nil
        super.didTurnIntoFault()
    }

    public var shouting: String {
        if let cachedTitle { return cachedTitle }
        let made = (title ?? "").uppercased()
        cachedTitle = made
        return made
    }
}

import CoreData

/// The class is written by hand, its properties are generated ("Category/Extension").
public class Author: NSManagedObject {
    public var initials: String { (name ?? "").split(separator: " ").compactMap { $0.first.map(String.init) }.joined() }
}

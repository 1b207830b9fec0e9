import CoreData

// The hand-written classes of the showcase model.

/// Its properties are generated.
public class Author: NSManagedObject {}

/// All of it is written by hand.
public class Tag: NSManagedObject {}

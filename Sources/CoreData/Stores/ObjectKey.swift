/// Names a record inside one store, as a plain value: what relationships, rows and plans hold instead of objects.
///
/// A saved record is known by its primary key; an unsaved one by a number that is unique in this process. Equality looks at
/// these alone: the keys that are ever compared belong to one store and one root entity.
struct ObjectKey: Hashable, Sendable {
    /// The primary key (`Z_PK`), or the process-wide number of an unsaved object.
    var number: Int64
    /// `NSEntityDescription.ordinal` of the most specific entity that is known for the record.
    var entity: Int32
    var isTemporary: Bool

    init(number: Int64, entity: Int32, isTemporary: Bool = false) {
        self.number = number
        self.entity = entity
        self.isTemporary = isTemporary
    }

    @inline(__always)
    static func == (left: ObjectKey, right: ObjectKey) -> Bool {
        left.number == right.number && left.isTemporary == right.isTemporary
    }

    @inline(__always)
    func hash(into hasher: inout Hasher) {
        hasher.combine(isTemporary ? ~number : number)
    }
}

import Foundation

/// An analysed fetch request.
package struct FetchPlan {
    enum Shape {
        case rows
        case keys
        case count
        case dictionaries(DictionaryPlan)
    }

    package var entity: NSEntityDescription
    package var includesSubentities = true
    /// Managed objects in it are replaced by their ids; ids of other stores match nothing.
    package var predicate: NSPredicate?
    package var sort: [NSSortDescriptor] = []
    /// 0: no limit.
    package var limit = 0
    package var offset = 0
    var shape = Shape.rows

    package init(entity: NSEntityDescription) { self.entity = entity }

    var hasWindow: Bool { limit > 0 || offset > 0 }

    /// From the first row to the end of the window: what each of several stores must give, so that the window can be cut from all.
    var withoutOffset: FetchPlan {
        var plan = self
        plan.offset = 0
        let (end, isBeyond) = limit.addingReportingOverflow(offset)
        if limit > 0 { plan.limit = isBeyond ? 0 : end }
        return plan
    }
}

/// What a dictionary fetch shows of each record, or of each group of records.
package struct DictionaryPlan {
    package struct Column {
        package enum Source: Equatable {
            /// A property of the entity, or a key path over to-one relationships.
            case keyPath(String)
            /// A computed value, with the type it was declared to have.
            case expression(NSExpression, NSAttributeType)
        }

        package var name: String
        package var source: Source
        /// Whether of bytes only their number is wanted.
        package var measuresBytes = false

        package init(_ name: String, _ source: Source) {
            self.name = name
            self.source = source
        }
    }

    package var columns: [Column]
    /// Values that are selected too, though nobody sees them: what results of several stores are merged by.
    var hidden: [Column] = []
    package var groups: [Column] = []
    /// Names columns as variables (`$count`).
    package var having: NSPredicate?
    package var isDistinct = false
    /// Whether other stores answer the same request: then no store can group, or calculate over all records.
    var isShared = false

    package init(_ columns: [Column]) { self.columns = columns }
}

import Synchronization

/// What an accessor of a subclass knows of its property: the name, and where the property stands in the objects it met last.
///
///     private static let _title = _ManagedProperty("title")
///     var title: String? {
///         get { _get(Self._title) }
///         set { _set(Self._title, newValue) }
///     }
///
/// One instance an accessor; generated code has one as a static. A read costs a comparison, no look-up by name: the slot holds for
/// the entity that declares the property and all its subentities. A class may serve several models in one process; then the
/// accessor follows whichever it met last.
public final class _ManagedProperty: Sendable {
    public let name: String
    private let known = Atomic<UInt64>(0)

    public init(_ name: String) { self.name = name }

    @inline(__always)
    func handle(_ object: NSManagedObject) -> PropertyHandle {
        let handle = PropertyHandle(bits: known.load(ordering: .relaxed))
        if handle.holds(for: object.layoutIdentifier) { return handle }
        return find(object.layout)
    }

    @inline(never)
    private func find(_ layout: SlotLayout) -> PropertyHandle {
        let handle = PropertyHandle(entry(layout), layout)
        known.store(handle.bits, ordering: .relaxed)
        return handle
    }

    func entry(_ layout: SlotLayout) -> PropertyEntry {
        if let entry = layout.entry(named: name) { return entry }
        for other in otherNames {
            if let entry = layout.entry(named: other) { return entry }
        }
        objectMisuse("An accessor asks for '\(name)', which entity '\(layout.entity.name ?? "")' does not have")
    }

    /// Whether the name is that of a primitive accessor of the entity's property: `primitiveTitle` means `title`, unless there is a
    /// property of the whole name.
    func isPrimitive(_ layout: SlotLayout) -> Bool { name.hasPrefix("primitive") && layout.entry(named: name) == nil }

    /// What else the name may mean: without `primitive`, and with a first letter that methods (`addToURLs`) do not tell.
    private var otherNames: [String] {
        var names: [String] = []
        for name in [name, name.hasPrefix("primitive") ? String(name.dropFirst("primitive".count)) : ""]
        where !name.isEmpty {
            names.append(name.prefix(1).lowercased() + name.dropFirst())
            names.append(name.prefix(1).uppercased() + name.dropFirst())
        }
        return names
    }
}

/// Where a property stands, for a run of layouts, in one word: identifier of the first layout (26 bits), how many follow it (14),
/// slot or index (16), flags (4), kind (4). Layout identifiers begin at 1, so no layout is meant by zero.
struct PropertyHandle {
    enum Kind: UInt8 {
        case integer, boolean, double, float, date, decimal, string, uri, uuid, data, transformable, toOne, toOneEntity
        case transient, toMany, other
    }

    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ entry: PropertyEntry, _ layout: SlotLayout) {
        var kind = Kind.other
        var place = 0
        var flags: UInt64 = 0
        switch entry.place {
        case .attribute(let slot):
            kind = Kind(rawValue: layout.slots[slot].kind.rawValue) ?? .other
            place = slot
        case .toOne(let slot, let isPolymorphic):
            kind = .toOne
            place = slot
            flags = isPolymorphic ? 1 : 0
        case .toMany(let index):
            kind = .toMany
            place = index
        case .composite, .fetched: break
        }
        if place >= 1 << 16 { (kind, place) = (.other, 0) }
        let (first, following) = Self.run(of: entry, layout)
        bits = first << 38 | following << 24 | UInt64(place) << 8 | flags << 4 | UInt64(kind.rawValue)
    }

    /// The layouts that have the property at the same place: that of the entity that declares it, and those of its subentities,
    /// which have the numbers that follow.
    private static func run(of entry: PropertyEntry, _ layout: SlotLayout) -> (UInt64, UInt64) {
        guard let declarer = entry.property.declaringEntity, let first = declarer.frozenLayout else {
            return (UInt64(layout.identifier), 0)
        }
        let following = declarer.lastOrdinal - declarer.ordinal
        let last = declarer.allSubentities.last?.frozenLayout ?? first
        guard following < 1 << 14, last.identifier &- first.identifier == UInt32(following) else {
            return (UInt64(layout.identifier), 0)
        }
        return (UInt64(first.identifier), UInt64(following))
    }

    @inline(__always)
    func holds(for layoutIdentifier: UInt32) -> Bool {
        UInt64(layoutIdentifier) &- bits >> 38 <= bits >> 24 & 0x3fff && bits != 0
    }

    @inline(__always) var slot: Int { Int(bits >> 8 & 0xffff) }
    @inline(__always) var isPolymorphic: Bool { bits & 0x10 != 0 }
    @inline(__always) func isKind(_ kind: Kind) -> Bool { bits & 0xf == UInt64(kind.rawValue) }
    /// An integer or a Boolean.
    @inline(__always) var isInteger: Bool { bits & 0xf <= 1 }
    /// A double or a float.
    @inline(__always) var isReal: Bool { bits & 0xe == 2 }
}

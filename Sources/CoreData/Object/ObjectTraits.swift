import Foundation

/// What the objects of one entity share, worked out once for a layout.
final class ObjectTraits: @unchecked Sendable {
    /// The kind of value each slot has: that of the type for transient attributes, `transient` for an undefined type.
    let kinds: ContiguousArray<SlotKind>
    /// The model's defaults by slot, nil if there are none.
    let defaults: SlotValues?
    let validation: ValidationPlan

    init(_ layout: SlotLayout) {
        var kinds = ContiguousArray<SlotKind>()
        var defaults: SlotValues?
        for (index, slot) in layout.slots.enumerated() {
            guard let attribute = slot.property as? NSAttributeDescription else {
                kinds.append(slot.kind)
                continue
            }
            let kind = SlotKind(attribute.attributeType)
            kinds.append(kind)
            if let value = attribute.defaultValue, let value = SlotValue(value, kind: kind) {
                let values = defaults ?? SlotValues.make(count: layout.slots.count)
                values[index] = value
                defaults = values
            }
        }
        self.kinds = kinds
        self.defaults = defaults
        validation = ValidationPlan(layout)
    }
}

extension SlotLayout {
    /// (Synchronization's lazy reference would do, but takes hundreds of instructions for a look.)
    var objectTraits: ObjectTraits {
        @inline(__always)
        get {
            if let known = knownTraits.load(ordering: .acquiring) {
                return Unmanaged<ObjectTraits>.fromOpaque(known).takeUnretainedValue()
            }
            return makeTraits()
        }
    }

    @inline(never)
    private func makeTraits() -> ObjectTraits {
        let made = Unmanaged.passRetained(ObjectTraits(self))
        let (isFirst, present) = knownTraits.compareExchange(
            expected: nil, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
        if isFirst { return made.takeUnretainedValue() }
        defer { made.release() }
        return present.map { Unmanaged<ObjectTraits>.fromOpaque($0).takeUnretainedValue() }
            ?? made.takeUnretainedValue()
    }
}

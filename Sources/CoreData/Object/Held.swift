/// A strong reference that can be looked through without counting references.
///
/// A load from a stored property of a class retains and releases what it finds, since somebody might replace it meanwhile; for what
/// is read millions of times that costs more than the reading. The owner sets it to nil in its `deinit`.
struct Held<Object: AnyObject> {
    private var reference: Unmanaged<Object>?

    @inline(__always)
    var object: Object? {
        get { reference?.takeUnretainedValue() }
        set {
            let former = reference
            if let newValue { reference = Unmanaged.passRetained(newValue) } else { reference = nil }
            former?.release()
        }
    }

    /// Whether it is this object that is held.
    @inline(__always)
    func isSame(_ other: Object) -> Bool { reference?.toOpaque() == Unmanaged.passUnretained(other).toOpaque() }

    /// Whether nothing is held.
    @inline(__always)
    var isEmpty: Bool { reference == nil }

    /// What the closure makes of the object, nil where nothing is held. The closure must not let the owner replace it.
    @inline(__always)
    func look<Result>(_ body: (Object) -> Result) -> Result? {
        guard let reference else { return nil }
        return reference._withUnsafeGuaranteedRef(body)
    }
}

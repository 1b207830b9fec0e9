extension NSPersistentStore {
    /// The type of a store, beside the string constants.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// `NSSQLiteStoreType`.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// `NSInMemoryStoreType`.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}

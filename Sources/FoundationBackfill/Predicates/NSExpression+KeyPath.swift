extension NSExpression {
    /// The value the evaluated object gives for a key path, whose name must be known: see ``KeyPathNames``.
    ///
    ///     NSExpression(forKeyPath: \Person.age)
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(forKeyPath: KeyPathNames.require(keyPath, "NSExpression(forKeyPath:)"))
    }
}

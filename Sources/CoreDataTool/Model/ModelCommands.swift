extension CommandSpecification {
    /// The commands about models, `coredata model …`: one file of this folder each.
    static let modelCommands: [CommandSpecification] = [.modelGenerate, .modelPort]
}

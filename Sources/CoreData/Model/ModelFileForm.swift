import Foundation

/// The forms in which a model lies on disk, by the extension of the name.
package enum ModelFileForm: String {
    /// A folder with the compiled versions of a model.
    case versionedCompiled = "momd"
    /// A compiled model.
    case compiled = "mom"
    /// A compiled model in a form made for Apple's framework alone; a `.mom` stands beside it.
    case optimized = "omo"
    /// A folder with the versions of a model as Xcode keeps them.
    case versionedSource = "xcdatamodeld"
    /// A version, or a model without versions, as Xcode keeps it: a folder too.
    case source = "xcdatamodel"

    /// The form of a file or folder; nil if it is no model's name.
    package init?(_ url: URL) {
        self.init(rawValue: url.pathExtension.lowercased())
    }

    /// Where a model of some name is looked for, the best form first.
    static let looked: [ModelFileForm] = [.versionedCompiled, .compiled, .versionedSource, .source]

    var isCompiled: Bool { self == .versionedCompiled || self == .compiled }

    var isFolder: Bool { self != .compiled && self != .optimized }
}

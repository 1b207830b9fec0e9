/// What a condition of `#if` says on Linux.
enum BuildCondition {
    case yes, no
    /// It depends on what the build defines.
    case unknown

    /// The value of a condition's text. What is no condition is unknown.
    init(_ text: String) {
        var parser = Parser(tokens: SourceLexer.tokens(of: Array(text.utf8)))
        self = parser.disjunction(depth: 0)
    }

    static func && (left: BuildCondition, right: BuildCondition) -> BuildCondition {
        if left == .no || right == .no { return .no }
        return left == .yes && right == .yes ? .yes : .unknown
    }

    static func || (left: BuildCondition, right: BuildCondition) -> BuildCondition { !(!left && !right) }

    static prefix func ! (value: BuildCondition) -> BuildCondition {
        switch value {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }

    /// Modules that are nowhere but on Apple's platforms.
    private static let appleModules: Set<String> = [
        "ObjectiveC", "Darwin", "UIKit", "AppKit", "Cocoa", "SwiftUI", "SwiftData", "Combine", "WatchKit",
        "WatchConnectivity",
        "CloudKit", "CoreSpotlight", "CoreLocation", "CoreGraphics", "CoreImage", "CoreFoundation", "MapKit", "Photos",
        "StoreKit", "WidgetKit", "HealthKit", "os",
    ]

    private struct Parser {
        let tokens: [SourceToken]
        var index = 0

        private mutating func take(_ mark: String, _ count: Int = 1) -> Bool {
            guard index + count <= tokens.count, tokens[index..<index + count].allSatisfy({ $0.isMark(mark) }) else {
                return false
            }
            index += count
            return true
        }

        mutating func disjunction(depth: Int) -> BuildCondition {
            var value = conjunction(depth: depth)
            while take("|", 2) { value = value || conjunction(depth: depth) }
            return value
        }

        private mutating func conjunction(depth: Int) -> BuildCondition {
            var value = term(depth: depth)
            while take("&", 2) { value = value && term(depth: depth) }
            return value
        }

        private mutating func term(depth: Int) -> BuildCondition {
            guard depth < 64, index < tokens.count else { return .unknown }
            if take("!") { return !term(depth: depth + 1) }
            if take("(") {
                let value = disjunction(depth: depth + 1)
                return take(")") ? value : .unknown
            }
            let name = tokens[index].text
            index += 1
            guard take("(") else {
                return name == "true" ? .yes : name == "false" ? .no : .unknown
            }
            let argument = index < tokens.count ? tokens[index].text : ""
            while index < tokens.count, !take(")") { index += 1 }
            switch name {
            case "os": return argument == "Linux" ? .yes : .no
            case "canImport": return BuildCondition.appleModules.contains(argument) ? .no : .unknown
            case "targetEnvironment", "_runtime": return .no
            default: return .unknown
            }
        }
    }
}

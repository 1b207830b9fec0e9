import Foundation

// Decimals and the doubles that Apple's columns keep of them.
extension Decimal {
    /// The shortest decimal that stands for a double: 0.1 for 0.1. Not a number for what is none.
    init?(nearest double: Double) {
        if double.isFinite { self.init(string: "\(double)") } else { self = .nan }
    }

    /// The double nearest to the value.
    var nearestDouble: Double { Double(description) ?? .nan }
}

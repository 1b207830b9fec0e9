import Foundation

extension NaiveEvaluator {
    func value(_ term: Question.Term) -> PlainValue {
        switch term {
        case .constant(let value): return value
        case .own: return .record(own)
        case .variable(let name): return variables[name] ?? .none
        case .path(let path, of: let variable):
            return follow(
                variable.flatMap { variables[$0] } ?? .record(own), path.split(separator: ".").map(String.init)[...])
        case .behind(let term, let path):
            return follow(value(term), path.split(separator: ".").map(String.init)[...])
        case .list(let members): return .many(members.map(value))
        case .subquery(let collection, let name, let question):
            return .many(
                value(collection).members.filter { member in
                    var inner = self
                    inner.variables[name] = member
                    return !member.isNone && inner.holds(question)
                })
        case .choice(let question, let first, let second): return holds(question) ? value(first) : value(second)
        case .call(let name, let parts): return call(name, parts.map(value))
        case .cast(let term, let type): return cast(value(term), type)
        }
    }

    /// A key path, through collections too; operators at its end or before its last keys.
    private func follow(_ start: PlainValue, _ keys: ArraySlice<String>) -> PlainValue {
        guard let key = keys.first else { return start }
        if start.isNone { return .none }
        let rest = keys.dropFirst()
        if key.hasPrefix("@") {
            guard case .many = start else { return .none }
            let values = rest.isEmpty ? start : follow(start, rest)
            if key == "@distinctUnionOfObjects" { return .many(distinct(values.members.filter { !$0.isNone })) }
            return aggregate(String(key.dropFirst()), values.members)
        }
        switch start {
        case .record(let number):
            let value = world.value(number, key)
            // SQLite keeps no sign of zero.
            if rules == .store, value == .real(0) { return follow(.real(0), rest) }
            return follow(value, rest)
        case .many:
            let steps = keys.prefix { !$0.hasPrefix("@") }
            var values = start.members.map { follow($0, steps) }
            // Where nil is on the way to a further to-many, there are no members.
            if steps.contains(where: { ["children", "things", "labels"].contains($0) }) {
                values.removeAll(where: \.isNone)
            }
            return follow(.many(PlainValue.many(values).members), keys.dropFirst(steps.count))
        default: return .none
        }
    }

    private func distinct(_ values: [PlainValue]) -> [PlainValue] {
        var result: [PlainValue] = []
        for value in values where !result.contains(value) { result.append(value) }
        return result
    }

    // MARK: Functions

    private func aggregate(_ name: String, _ members: [PlainValue]) -> PlainValue {
        let values = members.filter { !$0.isNone }
        switch name {
        case "count": return .whole(Int64(values.count))
        case "min": return values.reduce(.none) { $0.isNone || precedes($1, $0) ? $1 : $0 }
        case "max": return values.reduce(.none) { $0.isNone || precedes($0, $1) ? $1 : $0 }
        case "sum": return sum(values)
        case "avg":
            let total = sum(values)
            if values.isEmpty || total.isNone { return .none }
            if case .decimal = total { return call("/", [total, .whole(Int64(values.count))]) }
            return .real((total.asReal ?? 0) / Double(values.count))
        case "median":
            let sorted = values.compactMap(\.asReal).sorted()
            if sorted.isEmpty { return .none }
            let middle = sorted[sorted.count / 2]
            return .real(sorted.count % 2 == 1 ? middle : (sorted[sorted.count / 2 - 1] + middle) / 2)
        default: preconditionFailure(name)
        }
    }

    private func precedes(_ a: PlainValue, _ b: PlainValue) -> Bool {
        let comparison = Question.Comparison(left: .own, symbol: "<", right: .own)
        return holds(.compare(comparison), a, b)
    }

    private func holds(_ question: Question, _ a: PlainValue, _ b: PlainValue) -> Bool {
        guard case .compare(var comparison) = question else { return false }
        var inner = self
        inner.variables = ["a": a, "b": b]
        comparison.left = .variable("a")
        comparison.right = .variable("b")
        return inner.holds(.compare(comparison))
    }

    private func sum(_ values: [PlainValue]) -> PlainValue {
        var whole: Int128 = 0
        var real: Double?
        var decimal: Decimal?
        for value in values {
            switch value {
            case .whole(let value): whole += Int128(value)
            case .real(let value): real = (real ?? 0) + value
            case .decimal(let value): decimal = (decimal ?? 0) + value
            default: break
            }
        }
        if let real {
            let total = real + Double(whole) + (PlainValue.decimal(decimal ?? 0).asReal ?? 0)
            return total.isNaN ? .none : .real(total)
        }
        if let decimal { return .decimal(decimal + (Decimal(string: "\(whole)") ?? .nan)) }
        return Int64(exactly: whole).map(PlainValue.whole) ?? .real(Double(whole))
    }

    private func call(_ name: String, _ values: [PlainValue]) -> PlainValue {
        switch name {
        case "sum:": return aggregate("sum", values[0].members)
        case "count:": return aggregate("count", values[0].members)
        case "min:": return aggregate("min", values[0].members)
        case "max:": return aggregate("max", values[0].members)
        case "average:": return aggregate("avg", values[0].members)
        case "median:": return aggregate("median", values[0].members)
        default: break
        }
        if values.contains(where: \.isNone) { return .none }
        if values.count == 2 { return calculate(name, values[0], values[1]) }
        if case .text(let text) = values[0] {
            switch name {
            case "uppercase:": return .text(PlainText(plain: text.text.uppercased()))
            case "lowercase:": return .text(PlainText(plain: text.text.lowercased()))
            case "canonical:": return .text(PlainText(plain: text.folded(["c", "d"])))
            case "length:": return .whole(Int64(Array(text.text.utf16).count))
            case "noindex:": return values[0]
            default: return .none
            }
        }
        if name == "noindex:" { return values[0] }
        return calculate(name, values[0])
    }

    private func calculate(_ name: String, _ value: PlainValue) -> PlainValue {
        if case .whole(let whole) = value {
            switch name {
            case "floor:", "ceiling:", "trunc:": return value
            case "abs:": return whole == .min ? .real(0x1p63) : .whole(whole < 0 ? -whole : whole)
            case "~": return .whole(-1 - whole)
            default: break
            }
        }
        guard let real = value.asReal else { return .none }
        let result: Double
        switch name {
        case "sqrt:": result = sqrt(real)
        case "ln:": result = log(real)
        case "log:": result = log10(real)
        case "exp:": result = exp(real)
        case "floor:": result = floor(real)
        case "ceiling:": result = ceil(real)
        case "trunc:": result = trunc(real)
        case "abs:": result = Swift.abs(real)
        default: return .none
        }
        return result.isNaN ? .none : .real(result)
    }

    private func calculate(_ name: String, _ a: PlainValue, _ b: PlainValue) -> PlainValue {
        switch (a, b) {
        case (.date(let a), .date(let b)): return name == "-" ? .real(a - b) : .none
        case (.date(let seconds), _):
            guard let distance = b.asReal else { return .none }
            return name == "+" ? .date(seconds + distance) : name == "-" ? .date(seconds - distance) : .none
        case (_, .date(let seconds)): return a.asReal.map { name == "+" ? .date($0 + seconds) : .none } ?? .none
        case (.whole(let a), .whole(let b)): return whole(name, a, b)
        case (.decimal, .decimal), (.decimal, .whole), (.whole, .decimal):
            if let decimal = decimal(name, a, b) { return decimal }
        default: break
        }
        guard let a = a.asReal, let b = b.asReal else { return .none }
        return real(name, a, b)
    }

    private func whole(_ name: String, _ a: Int64, _ b: Int64) -> PlainValue {
        let exact: Int128
        switch name {
        case "+": exact = Int128(a) + Int128(b)
        case "-": exact = Int128(a) - Int128(b)
        case "*": exact = Int128(a) * Int128(b)
        case "/":
            if b == 0 { return .none }
            exact = Int128(a) / Int128(b)
        case "modulus:by:":
            if b == 0 { return .none }
            exact = Int128(a) % Int128(b)
        case "&": exact = Int128(a & b)
        case "|": exact = Int128(a | b)
        case "^": exact = Int128(a ^ b)
        case "<<": return .whole(shifted(a, left: b))
        case ">>": return .whole(shifted(a, left: b == .min ? .max : -b))
        default: return real(name, Double(a), Double(b))
        }
        return Int64(exactly: exact).map(PlainValue.whole) ?? real(name, Double(a), Double(b))
    }

    private func shifted(_ value: Int64, left count: Int64) -> Int64 {
        if count >= 64 { return 0 }
        if count <= -64 { return value < 0 ? -1 : 0 }
        var value = value
        for _ in 0..<Swift.abs(count) { value = count > 0 ? value &* 2 : value >> 1 }
        return value
    }

    private func real(_ name: String, _ a: Double, _ b: Double) -> PlainValue {
        let result: Double
        switch name {
        case "+": result = a + b
        case "-": result = a - b
        case "*": result = a * b
        case "/": result = b == 0 ? .nan : a / b
        case "modulus:by:": result = b == 0 ? .nan : fmod(a, b)
        case "**": result = pow(a, b)
        default: return bits(name, a, b)
        }
        return result.isNaN ? .none : .real(result)
    }

    private func bits(_ name: String, _ a: Double, _ b: Double) -> PlainValue {
        guard let a = Int64(exactly: trunc(a)), let b = Int64(exactly: trunc(b)) else { return .none }
        return whole(name, a, b)
    }

    private func decimal(_ name: String, _ a: PlainValue, _ b: PlainValue) -> PlainValue? {
        func exact(_ value: PlainValue) -> Decimal {
            switch value {
            case .whole(let value): Decimal(value)
            case .decimal(let value): value
            default: .nan
            }
        }
        let (a, b) = (exact(a), exact(b))
        let result: Decimal
        switch name {
        case "+": result = a + b
        case "-": result = a - b
        case "*": result = a * b
        case "/": result = b == 0 ? .nan : a / b
        default: return nil
        }
        return result.isNaN ? PlainValue.none : .decimal(result)
    }

    private func cast(_ value: PlainValue, _ type: String) -> PlainValue {
        switch (value, type) {
        case (.none, _): return .none
        case (.text(let text), "NSString"): return .text(text)
        case (_, "NSString"): return value.asText.map(PlainValue.text) ?? .none
        case (.whole, "NSDate"), (.real, "NSDate"): return .date(value.asReal ?? 0)
        case (.date(let seconds), "NSNumber"): return .real(seconds)
        case (_, "NSNumber"): return value.isNumber ? value : .none
        case (.whole, "NSDecimalNumber"), (.real, "NSDecimalNumber"):
            return value.asText.flatMap { Decimal(string: $0.text) }.map(PlainValue.decimal) ?? .none
        default: return .none
        }
    }
}

import Foundation

/// Makes random questions about the records of a world.
struct QuestionMaker {
    typealias Kind = PlainWorld.Kind
    typealias Term = Question.Term

    /// An operator or function beside the kind of value it met.
    struct Use: Hashable {
        let name: String
        let kind: Kind
    }

    /// Whose keys a term may name: SELF or a variable.
    struct Place {
        let entity: String
        let variable: String?
    }

    let world: PlainWorld
    var dice: Dice
    private(set) var uses: Set<Use> = []
    private var variables = 0

    init(_ world: PlainWorld, _ dice: Dice) {
        self.world = world
        self.dice = dice
    }

    mutating func question(about entity: String) -> Question {
        uses = []
        variables = 0
        return question([Place(entity: entity, variable: nil)], depth: 3)
    }

    private mutating func any<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &dice)] }

    private mutating func note(_ name: String, _ kind: Kind) { uses.insert(Use(name: name, kind: kind)) }

    /// - Parameter places: what terms may name, the innermost last.
    private mutating func question(_ places: [Place], depth: Int) -> Question {
        if depth > 1, dice.one(in: 3) {
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: return .and([question(places, depth: depth - 1), question(places, depth: depth - 1)])
            case 1: return .or([question(places, depth: depth - 1), question(places, depth: depth - 1)])
            default: return .not(question(places, depth: depth - 1))
            }
        }
        let place = dice.one(in: 3) ? any(places) : places[places.count - 1]
        switch Int.random(in: 0..<48, using: &dice) {
        case 0: return .constant(dice.one(in: 2))
        case 1..<9: return plain(place, places)
        case 9..<15: return text(place)
        case 15..<19: return membership(place)
        case 19..<22: return between(place)
        case 22..<28: return quantified(place, places)
        case 28..<32: return aggregated(place)
        case 32..<36 where depth > 0: return subquery(place, places, depth)
        case 36..<38: return records(place)
        case 38: return absent(place)
        case 39: return mixed(place)
        case 40..<44: return folded(place)
        default: return calculated(place, places, depth)
        }
    }

    // MARK: Terms

    private func path(_ name: String, _ place: Place) -> Term { .path(name, of: place.variable) }

    /// An attribute of the place, sometimes through to-one relationships.
    private mutating func attribute(_ place: Place, _ isWanted: (Kind) -> Bool) -> (path: String, kind: Kind)? {
        var entity = PlainWorld.plainEntity(place.entity)
        var prefix = ""
        while let step = PlainWorld.toOnes(entity).randomElement(using: &dice), dice.one(in: 4) {
            prefix += step.name + "."
            entity = step.destination
        }
        let known = (PlainWorld.attributes[entity] ?? []).filter { isWanted($0.kind) }
        guard let chosen = known.randomElement(using: &dice) else { return nil }
        return (prefix + chosen.name, chosen.kind)
    }

    private mutating func constant(_ kind: Kind) -> Term { .constant(world.sample(kind, &dice)) }

    static func isNumber(_ kind: Kind) -> Bool {
        [.small, .middle, .big, .flag, .real, .calm, .half, .cost].contains(kind)
    }

    // MARK: Kinds of questions

    private mutating func plain(_ place: Place, _ places: [Place]) -> Question {
        let symbol = any(["==", "!=", "<", "<=", ">", ">="])
        guard let left = attribute(place, { _ in true }) else { return .constant(true) }
        note(symbol, left.kind)
        var comparison = Question.Comparison(left: path(left.path, place), symbol: symbol, right: constant(left.kind))
        if dice.one(in: 4) {
            let alike = Self.isNumber(left.kind) ? Self.isNumber : { $0 == left.kind }
            let other = any(places)
            if let right = attribute(other, alike) { comparison.right = path(right.path, other) }
        } else if dice.one(in: 6) {
            (comparison.left, comparison.right) = (comparison.right, comparison.left)
        }
        return .compare(comparison)
    }

    /// A comparison of texts that ignores case, accents or neither.
    private mutating func folded(_ place: Place) -> Question {
        let symbol = any(["==", "==", "!=", "<", "<=", ">", ">=", "IN"])
        guard let left = attribute(place, { $0 == .text }) else { return .constant(true) }
        let options = options()
        note("\(symbol)[\(String(options.sorted()))]", .text)
        let members = (0..<3).map { _ in world.sample(.text, &dice) }
        return .compare(
            Question.Comparison(
                left: path(left.path, place), symbol: symbol, options: options,
                right: .constant(symbol == "IN" ? .many(members) : members[0])))
    }

    private mutating func options() -> Set<Character> { any([["c"], ["d"], ["c", "d"], ["n"], ["c", "n"]]) }

    private mutating func text(_ place: Place) -> Question {
        let symbol = any(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "LIKE", "MATCHES"])
        let kinds: [Kind] = symbol == "MATCHES" || dice.one(in: 4) ? [.text, .link, .code, .small] : [.text]
        guard let left = attribute(place, { kinds.contains($0) }) else { return .constant(false) }
        var comparison = Question.Comparison(left: path(left.path, place), symbol: symbol, right: .own)
        if left.kind == .text, symbol != "MATCHES", !dice.one(in: 3) { comparison.options = options() }
        note(symbol, left.kind)
        if !comparison.options.isEmpty { note("\(symbol)[\(String(comparison.options.sorted()))]", .text) }
        let sample = world.sample(left.kind, &dice).asText ?? PlainText([])
        var pieces = sample.pieces
        if left.kind != .text { pieces = sample.text.map { PlainText.piece(String($0)) } }
        if symbol == "LIKE" || symbol == "MATCHES" {
            let pattern = pattern(pieces)
            comparison.pattern = pattern
            let text = pattern.map { symbol == "LIKE" ? Self.like($0) : Self.expression($0) }.joined()
            comparison.right = .constant(.text(PlainText(plain: text)))
            return .compare(comparison)
        }
        if dice.one(in: 6), let right = attribute(place, { $0 == left.kind }) {
            comparison.right = path(right.path, place)
            return .compare(comparison)
        }
        let count = Int.random(in: 0...min(pieces.count, 2), using: &dice)
        switch symbol {
        case "BEGINSWITH": pieces = Array(pieces.prefix(count))
        case "ENDSWITH": pieces = Array(pieces.suffix(count))
        default: pieces = Array(pieces.dropFirst(Int.random(in: 0...pieces.count, using: &dice)).prefix(count))
        }
        comparison.right = .constant(.text(PlainText(pieces)))
        return .compare(comparison)
    }

    private mutating func pattern(_ pieces: [PlainText.Piece]) -> [Question.PatternPiece] {
        var pattern: [Question.PatternPiece] = []
        for piece in pieces {
            // With many repetitions a regular expression takes longer than anybody can wait.
            let mayRepeat = pattern.count { if case .anyText = $0 { true } else { false } } < 5
            switch Int.random(in: mayRepeat ? 0..<5 : 3..<5, using: &dice) {
            case 0: pattern.append(.anyText)
            case 1: pattern.append(.anyCharacter)
            case 2: pattern += [.anyText, .piece(piece)]
            default: pattern.append(.piece(piece))
            }
        }
        return dice.one(in: 2) ? pattern + [.anyText] : pattern
    }

    private static func like(_ piece: Question.PatternPiece) -> String {
        switch piece {
        case .anyText: "*"
        case .anyCharacter: "?"
        case .piece(let piece): ["*", "?", "\\"].contains(piece.text) ? "\\" + piece.text : piece.text
        }
    }

    private static func expression(_ piece: Question.PatternPiece) -> String {
        switch piece {
        case .anyText: ".*"
        case .anyCharacter: "."
        case .piece(let piece): NSRegularExpression.escapedPattern(for: piece.text)
        }
    }

    private mutating func membership(_ place: Place) -> Question {
        guard let left = attribute(place, { _ in true }) else { return .constant(true) }
        note("IN", left.kind)
        var comparison = Question.Comparison(left: path(left.path, place), symbol: "IN", right: .own)
        var members = (0..<Int.random(in: 0...5, using: &dice)).map { _ in world.sample(left.kind, &dice) }
        if dice.one(in: 8) { members.append(.none) }
        if left.kind == .text, dice.one(in: 3) {
            comparison.options = options()
            note("IN[\(String(comparison.options.sorted()))]", .text)
        }
        if dice.one(in: 4), let right = attribute(place, { $0 == left.kind }) {
            comparison.right = .list(members.filter { !$0.isNone }.map { .constant($0) } + [path(right.path, place)])
        } else {
            comparison.right = .constant(.many(members))
        }
        if dice.one(in: 8), case .constant = comparison.right {
            // `{…} CONTAINS x`
            (comparison.left, comparison.right) = (comparison.right, comparison.left)
            comparison.symbol = "CONTAINS"
        }
        return .compare(comparison)
    }

    private mutating func between(_ place: Place) -> Question {
        guard let left = attribute(place, { _ in true }) else { return .constant(true) }
        note("BETWEEN", left.kind)
        var bounds = [constant(left.kind), constant(left.kind)]
        if dice.one(in: 3), let right = attribute(place, { $0 == left.kind }) { bounds[0] = path(right.path, place) }
        if dice.one(in: 8) {
            return .compare(
                Question.Comparison(
                    left: bounds[1], symbol: "BETWEEN", right: .list([path(left.path, place), constant(left.kind)])))
        }
        return .compare(Question.Comparison(left: path(left.path, place), symbol: "BETWEEN", right: .list(bounds)))
    }

    // MARK: To-many

    /// A path over one or two to-many relationships, without an attribute behind it.
    private mutating func collection(_ place: Place, steps: Int) -> (path: String, destination: String)? {
        var entity = PlainWorld.plainEntity(place.entity)
        var keys: [String] = []
        if let step = PlainWorld.toOnes(entity).randomElement(using: &dice), dice.one(in: 5) {
            keys.append(step.name)
            entity = step.destination
        }
        for _ in 0..<steps {
            guard let step = PlainWorld.toManys(entity).randomElement(using: &dice) else { return nil }
            keys.append(step.name)
            entity = step.destination
            if let step = PlainWorld.toOnes(entity).randomElement(using: &dice), dice.one(in: 5) {
                keys.append(step.name)
                entity = step.destination
            }
        }
        return (keys.joined(separator: "."), entity)
    }

    private mutating func quantified(_ place: Place, _ places: [Place]) -> Question {
        guard let members = collection(place, steps: dice.one(in: 4) ? 2 : 1),
            let chosen = (PlainWorld.attributes[members.destination] ?? []).randomElement(using: &dice)
        else { return .constant(true) }
        let term = path("\(members.path).\(chosen.name)", place)
        if dice.one(in: 4) {
            note("x IN to-many", chosen.kind)
            let value: Term
            if dice.one(in: 2), let own = attribute(place, { $0 == chosen.kind }) {
                value = path(own.path, place)
            } else {
                value = constant(chosen.kind)
            }
            return .compare(Question.Comparison(left: value, symbol: "IN", right: term))
        }
        let quantifier = any(["ANY", "ANY", "ALL", "NONE"])
        let symbol = any(["==", "!=", "<", ">=", "IN", "BETWEEN"])
        note("\(quantifier) \(symbol)", chosen.kind)
        note(quantifier, chosen.kind)
        let right: Term =
            switch symbol {
            case "IN": .constant(.many((0..<3).map { _ in world.sample(chosen.kind, &dice) }))
            case "BETWEEN": .list([constant(chosen.kind), constant(chosen.kind)])
            default: constant(chosen.kind)
            }
        return .compare(Question.Comparison(quantifier: quantifier, left: term, symbol: symbol, right: right))
    }

    private mutating func aggregated(_ place: Place) -> Question {
        guard let members = collection(place, steps: dice.one(in: 5) ? 2 : 1) else { return .constant(true) }
        if dice.one(in: 3) {
            note("@count", .record)
            let count = PlainValue.whole(Int64.random(in: 0...4, using: &dice))
            return .compare(
                Question.Comparison(
                    left: dice.one(in: 4)
                        ? .call("count:", [path(members.path, place)]) : path("\(members.path).@count", place),
                    symbol: any(["==", ">", "<="]), right: .constant(count)))
        }
        let name = any(["sum", "avg", "min", "max", "median", "count", "distinct"])
        let summable: [Kind] = [.small, .middle, .big, .flag, .calm, .cost]
        let ordered: [Kind] = summable + [.real, .half, .text, .day, .code, .link, .bytes]
        let kinds = ["min", "max", "count", "distinct"].contains(name) ? ordered : summable
        let known = (PlainWorld.attributes[members.destination] ?? []).filter { kinds.contains($0.kind) }
        guard let chosen = known.randomElement(using: &dice) else { return .constant(true) }
        note("@\(name)", chosen.kind)
        let full = "\(members.path).\(chosen.name)"
        var left: Term
        switch name {
        case "distinct":
            let term = path("\(members.path).@distinctUnionOfObjects.\(chosen.name)", place)
            return .compare(
                Question.Comparison(quantifier: "ANY", left: term, symbol: "==", right: constant(chosen.kind)))
        case "count": left = path("\(full).@count", place)
        case "median": left = .call("median:", [path(full, place)])
        default:
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: left = path("\(members.path).@\(name).\(chosen.name)", place)
            case 1: left = path("\(full).@\(name)", place)
            default: left = .call(name == "avg" ? "average:" : "\(name):", [path(full, place)])
            }
        }
        let isNumber = !["min", "max"].contains(name)
        var right: Term = isNumber ? .constant(.whole(Int64.random(in: -2...6, using: &dice))) : constant(chosen.kind)
        if name == "avg" || name == "median", dice.one(in: 2) { right = constant(.calm) }
        if isNumber, dice.one(in: 4) { left = .call("+", [left, .constant(.whole(1))]) }
        return .compare(
            Question.Comparison(left: left, symbol: any(["==", "!=", "<", "<=", ">", ">="]), right: right))
    }

    private mutating func subquery(_ place: Place, _ places: [Place], _ depth: Int) -> Question {
        guard let members = collection(place, steps: dice.one(in: 6) ? 2 : 1) else { return .constant(true) }
        variables += 1
        let name = "v\(variables)"
        let inner = places + [Place(entity: members.destination, variable: name)]
        let subquery = Term.subquery(path(members.path, place), name, question(inner, depth: depth - 1))
        if dice.one(in: 4),
            let chosen = (PlainWorld.attributes[members.destination] ?? []).randomElement(using: &dice)
        {
            note("SUBQUERY, ANY", chosen.kind)
            return .compare(
                Question.Comparison(
                    quantifier: "ANY", left: .behind(subquery, chosen.name), symbol: any(["==", "<", ">="]),
                    right: constant(chosen.kind)))
        }
        note("SUBQUERY", .record)
        return .compare(
            Question.Comparison(
                left: .behind(subquery, "@count"), symbol: any(["==", ">", "<"]),
                right: .constant(.whole(Int64.random(in: 0...2, using: &dice)))))
    }

    private mutating func records(_ place: Place) -> Question {
        let entity = PlainWorld.plainEntity(place.entity)
        var terms: [(Term, String)] = PlainWorld.toOnes(entity).map { (path($0.name, place), $0.destination) }
        terms.append((place.variable.map { .variable($0) } ?? .own, entity))
        let (term, destination) = any(terms)
        let known = world.numbers(of: destination)
        let several = PlainValue.many(
            (0..<6).compactMap { _ in known.randomElement(using: &dice) }.map(PlainValue.record))
        if dice.one(in: 3), let members = collection(place, steps: 1), members.destination == destination {
            note("record IN to-many", .record)
            return .compare(Question.Comparison(left: term, symbol: "IN", right: path(members.path, place)))
        }
        switch Int.random(in: 0..<3, using: &dice) {
        case 0:
            note("IN", .record)
            return .compare(Question.Comparison(left: term, symbol: "IN", right: .constant(several)))
        case 1:
            guard let members = collection(place, steps: 1) else { return .constant(true) }
            note("ANY IN", .record)
            let others = world.numbers(of: members.destination).filter { _ in dice.one(in: 3) }
            return .compare(
                Question.Comparison(
                    quantifier: "ANY", left: path(members.path, place), symbol: "IN",
                    right: .constant(.many(others.map(PlainValue.record)))))
        default:
            let symbol = any(["==", "!="])
            note(symbol, .record)
            return .compare(
                Question.Comparison(
                    left: term, symbol: symbol,
                    right: known.randomElement(using: &dice).map { .constant(.record($0)) } ?? term))
        }
    }

    private mutating func absent(_ place: Place) -> Question {
        let symbol = any(["==", "!="])
        if dice.one(in: 3),
            let step = PlainWorld.toOnes(PlainWorld.plainEntity(place.entity)).randomElement(using: &dice)
        {
            note("\(symbol) nil", .record)
            return .compare(
                Question.Comparison(left: path(step.name, place), symbol: symbol, right: .constant(.none)))
        }
        guard let left = attribute(place, { _ in true }) else { return .constant(true) }
        note("\(symbol) nil", left.kind)
        return .compare(
            Question.Comparison(left: path(left.path, place), symbol: symbol, right: .constant(.none)))
    }

    /// Values of different kinds.
    private mutating func mixed(_ place: Place) -> Question {
        guard let left = attribute(place, { _ in true }), let right = attribute(place, { _ in true }) else {
            return .constant(true)
        }
        let symbol = any(["==", "!=", "<", ">="])
        note("\(symbol) of another kind", left.kind)
        return .compare(
            Question.Comparison(
                left: path(left.path, place), symbol: symbol,
                right: dice.one(in: 2) ? path(right.path, place) : constant(right.kind)))
    }

    // MARK: Calculating

    private mutating func calculated(_ place: Place, _ places: [Place], _ depth: Int) -> Question {
        let symbol = any(["==", "!=", "<", "<=", ">", ">="])
        let (left, kind) = computed(place, places, depth)
        var right = constant(kind)
        if dice.one(in: 4) {
            let other = computed(place, places, 0)
            if other.kind == kind || (Self.isNumber(kind) && Self.isNumber(other.kind)) { right = other.term }
        }
        return .compare(Question.Comparison(left: left, symbol: symbol, right: right))
    }

    /// A function of values, and what kind its value has.
    private mutating func computed(_ place: Place, _ places: [Place], _ depth: Int) -> (term: Term, kind: Kind) {
        switch Int.random(in: 0..<14, using: &dice) {
        case 0, 6:
            guard let argument = attribute(place, { $0 == .text }) else { break }
            let name = any(["uppercase:", "lowercase:", "canonical:", "length:", "noindex:"])
            note(name, .text)
            return (.call(name, [path(argument.path, place)]), name == "length:" ? .small : .text)
        case 1:
            guard let argument = attribute(place, { $0 == .day }) else { break }
            note("date ±", .day)
            if dice.one(in: 2) {
                return (.call(any(["+", "-"]), [path(argument.path, place), number(place, 1)]), .day)
            }
            return (.call("-", [path(argument.path, place), constant(.day)]), .calm)
        case 2:
            let casts: [(Kind, String, Kind)] = [
                (.small, "NSString", .text), (.calm, "NSString", .text), (.day, "NSNumber", .calm),
                (.small, "NSDate", .day), (.calm, "NSDecimalNumber", .cost), (.middle, "NSNumber", .small),
            ]
            let (from, type, to) = any(casts)
            guard let argument = attribute(place, { $0 == from }) else { break }
            note("CAST", from)
            return (.cast(path(argument.path, place), type), to)
        case 3...4 where depth > 0:
            guard let first = attribute(place, { $0 != .bytes && $0 != .real }) else { break }
            note("TERNARY", first.kind)
            return (.choice(question(places, depth: 0), path(first.path, place), constant(first.kind)), first.kind)
        case 5, 7:
            let members = [number(place, 1), number(place, 0), constant(.small)]
            let name = any(["max:", "min:", "sum:"])
            note("\(name) of a list", .computed)
            return (.call(name, [.list(members)]), .small)
        default: break
        }
        return (number(place, 2), dice.one(in: 3) ? .calm : .small)
    }

    private mutating func number(_ place: Place, _ depth: Int) -> Term {
        let kinds: [Kind] = [.small, .middle, .big, .flag, .calm, .half, .cost, .real]
        guard let own = attribute(place, { kinds.contains($0) }) else { return constant(.small) }
        guard depth > 0 else { return dice.one(in: 4) ? constant(own.kind) : path(own.path, place) }
        switch Int.random(in: 0..<10, using: &dice) {
        case 0..<5:
            let name = any(["+", "-", "*", "/", "**", "modulus:by:"])
            note(name, own.kind)
            let left = dice.one(in: 3) ? number(place, depth - 1) : path(own.path, place)
            return .call(name, [left, number(place, depth - 1)])
        case 5..<7:
            let wholes: [Kind] = [.small, .middle, .big]
            guard let whole = attribute(place, { wholes.contains($0) }) else { break }
            let name = any(["&", "|", "^", "<<", ">>", "~"])
            note(name, whole.kind)
            let argument = path(whole.path, place)
            return .call(name, name == "~" ? [argument] : [argument, constant(.small)])
        default:
            let name = any(["sqrt:", "ln:", "log:", "exp:", "floor:", "ceiling:", "trunc:", "abs:", "noindex:"])
            note(name, own.kind)
            return .call(name, [dice.one(in: 3) ? number(place, depth - 1) : path(own.path, place)])
        }
        return path(own.path, place)
    }
}

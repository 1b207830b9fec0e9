import Foundation

extension PlainWorld {
    /// Some forty records with values that repeat, are absent, extreme or beyond ASCII.
    static func make(_ dice: inout Dice) -> PlainWorld {
        var world = PlainWorld()
        let plan = [("Owner", 5), ("Label", 5), ("Thing", 22), ("Special", 6)]
        for (entity, count) in plan {
            for _ in 0..<count {
                let number = world.records.count + 1
                var record = Record(number: number, entity: entity)
                for (name, kind) in attributes[plainEntity(entity)] ?? [] where !dice.one(in: 6) {
                    record.values[name] = value(kind, &dice)
                }
                world.records[number] = record
            }
        }
        let (owners, things, labels) = (
            world.numbers(of: "Owner"), world.numbers(of: "Thing"), world.numbers(of: "Label")
        )
        for number in things {
            if !dice.one(in: 4) { world.records[number]?.toOne["owner"] = owners.randomElement(using: &dice) }
            if !dice.one(in: 3) {
                world.records[number]?.toOne["parent"] = things.prefix(9).randomElement(using: &dice)
            }
            world.records[number]?.labels = labels.filter { _ in dice.one(in: 3) }
        }
        return world
    }

    static func value(_ kind: Kind, _ dice: inout Dice) -> PlainValue {
        let small = Int64.random(in: -3...8, using: &dice)
        let isExtreme = dice.one(in: 5)
        func any<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &dice)] }
        switch kind {
        case .small: return .whole(isExtreme ? any([-32768, 32767, 0]) : small)
        case .middle: return .whole(isExtreme ? any([-2_147_483_648, 2_147_483_647, 100]) : small)
        case .big:
            return .whole(isExtreme ? any([.min, .max, .max - 1, (1 << 53) + 1, -(1 << 53) - 1]) : small)
        case .flag: return .whole(dice.one(in: 2) ? 1 : 0)
        case .real:
            let extremes: [Double] = [
                0.1, 1e308, -1e308, .infinity, -.infinity, .leastNonzeroMagnitude, 0x1p53, 0x1p63, -0.0, 1 / 3,
                123456789.125,
            ]
            return .real(isExtreme ? any(extremes) : Double(small) / 4)
        case .calm: return .real(Double(small) / 4)
        case .half: return .real(Double(isExtreme ? any([Float(0.1), 1e30, -1 / 3]) : Float(small) / 2))
        case .cost:
            let texts = ["0.1", "0.2", "0.3", "12.5", "-3", "1234567890.12345", "0.000001", "99999999999999"]
            return isExtreme ? .decimal(Decimal(string: any(texts)) ?? 0) : .decimal(Decimal(small) / 4)
        case .text:
            if dice.one(in: 12) { return .text(PlainText([])) }
            if dice.one(in: 10) {
                return .text(PlainText(any([["7"], ["1"], ["1", "7"]]).map { PlainText.piece($0) }))
            }
            let length = Int.random(in: 1...4, using: &dice)
            return .text(PlainText((0..<length).map { _ in any(PlainText.alphabet) }))
        case .day: return .date(isExtreme ? any([-1e9, 0, 4_000_000_000.5]) : Double(small) * 0.75)
        case .code:
            return .uuid(UUID(uuid: (0xA0 + UInt8(small & 3), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
        case .link:
            return .link(any(["https://a.example/", "https://a.example/b?c=1", "file:///tmp/x", "urn:b", "HTTPS://A"]))
        case .bytes: return .data(any([Data(), Data([0]), Data([1, 2]), Data([1, 2, 0]), Data([255])]))
        case .record, .computed: return .none
        }
    }

    /// A value that some record has, or might have.
    func sample(_ kind: Kind, _ dice: inout Dice) -> PlainValue {
        if kind == .record {
            return records.keys.sorted().randomElement(using: &dice).map(PlainValue.record) ?? .none
        }
        guard !dice.one(in: 4) else { return Self.value(kind, &dice) }
        let known = records.keys.sorted().flatMap { number -> [PlainValue] in
            guard let record = records[number] else { return [] }
            let attributes = Self.attributes[Self.plainEntity(record.entity)] ?? []
            return attributes.filter { $0.kind == kind }.compactMap { record.values[$0.name] }
        }
        return known.randomElement(using: &dice) ?? Self.value(kind, &dice)
    }
}

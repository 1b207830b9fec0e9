/// Names in letters beyond ASCII, spelled in ASCII (RFC 3492) as Swift's symbols do it: digits are a-z and A-J, the separator is
/// an underscore.
enum Punycode {
    static func encode(_ name: String) -> String {
        let points = name.unicodeScalars.map { Int($0.value) }
        var output = points.filter { $0 < 0x80 }.map { Character(UnicodeScalar(UInt8($0))) }
        let basic = output.count
        if basic > 0 { output.append("_") }
        var next = 128
        var delta = 0
        var bias = 72
        var handled = basic
        while handled < points.count {
            let least = points.filter { $0 >= next }.min() ?? next
            delta += (least - next) * (handled + 1)
            next = least
            for point in points {
                if point < next { delta += 1 }
                guard point == next else { continue }
                var rest = delta
                var threshold = 36
                while true {
                    let limit = min(max(threshold - bias, 1), 26)
                    if rest < limit { break }
                    output.append(digit(limit + (rest - limit) % (36 - limit)))
                    rest = (rest - limit) / (36 - limit)
                    threshold += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(output)
    }

    private static func digit(_ value: Int) -> Character {
        Character(UnicodeScalar(value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "A") + UInt8(value - 26)))
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}

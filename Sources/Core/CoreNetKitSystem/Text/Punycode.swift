/// Converts international host names to ASCII: each label that is not ASCII becomes Punycode after `xn--`.
///
/// Implemented here because `URL` supports international names only if all of Foundation is linked.
/// - SeeAlso: [RFC 3492](https://www.rfc-editor.org/rfc/rfc3492)
package enum Punycode {
    package static func host(_ name: String) -> String {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false).map { label -> String in
            let label = lowercased(label)
            let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
            return isASCII ? label : punycode(label).map { "xn--" + $0 } ?? label
        }
        return labels.joined(separator: ".")
    }

    /// Lowercases ASCII only: the Kelvin sign is not a `k`.
    private static func lowercased(_ label: Substring) -> String {
        label.unicodeScalars.reduce(into: "") { result, scalar in
            let lower = scalar.properties.lowercaseMapping
            let isFolded = !scalar.isASCII && lower.unicodeScalars.contains { $0.isASCII }
            result += isFolded ? String(scalar) : lower
        }
    }

    /// The label without its prefix; `nil` if it exceeds the maximum length of a label.
    private static func punycode(_ label: String) -> String? {
        let scalars = label.unicodeScalars.map(\.value)
        guard scalars.count <= 63 else { return nil }
        let basic = scalars.filter { $0 < 0x80 }
        var output = basic.map { UInt8($0) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
        var (point, delta, bias, handled): (UInt32, UInt32, UInt32, Int) = (0x80, 0, 72, basic.count)
        while let next = scalars.filter({ $0 >= point }).min() {
            // 63 scalars of 21 bits cannot overflow these types.
            delta += (next - point) * UInt32(handled + 1)
            point = next
            for scalar in scalars {
                if scalar < point { delta += 1 }
                guard scalar == point else { continue }
                write(delta, bias, to: &output)
                bias = adapted(delta, handled + 1, isFirst: handled == basic.count)
                (delta, handled) = (0, handled + 1)
            }
            (delta, point) = (delta + 1, point + 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func write(_ delta: UInt32, _ bias: UInt32, to output: inout [UInt8]) {
        var (rest, place): (UInt32, UInt32) = (delta, 36)
        while true {
            let threshold = place <= bias ? 1 : min(place - bias, 26)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            (rest, place) = ((rest - threshold) / (36 - threshold), place + 36)
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 { UInt8(value < 26 ? value + 97 : value + 22) }

    private static func adapted(_ delta: UInt32, _ count: Int, isFirst: Bool) -> UInt32 {
        var (rest, result): (UInt32, UInt32) = (isFirst ? delta / 700 : delta / 2, 0)
        rest += rest / UInt32(count)
        while rest > 455 { (rest, result) = (rest / 35, result + 36) }
        return result + 36 * rest / (rest + 38)
    }
}

/// The value of a number's text, however it is written: `1`, `1.0` and `10e-1` are one number.
struct JsonNumber: Hashable {
    private var isNegative = false
    /// Without zeros at either end; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten that the digits are multiplied by.
    private var exponent = 0
    /// The text of a number whose exponent does not fit in `Int`; it is equal only to itself.
    private var immense: String?

    /// Reads a text that is known to be a JSON number.
    init(_ text: String) {
        var fraction = 0
        var isFraction = false
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest = rest.dropFirst()
        }
        while let byte = rest.popFirst(), byte | 0x20 != UInt8(ascii: "e") {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { fraction += 1 }
            if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            fraction -= 1
        }
        guard !digits.isEmpty else {
            isNegative = false
            return
        }
        if rest.isEmpty {
            exponent = -fraction
        } else if let written = Int(Substring(rest)), written.magnitude < Int.max / 2 {
            exponent = written - fraction
        } else {
            immense = text
        }
    }

    var isZero: Bool { digits.isEmpty }

    /// The number of significant digits.
    var precision: Int { digits.count }

    /// The number as an integer, if it is whole and fits.
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
        if isZero { return 0 }
        guard immense == nil, exponent >= 0, exponent <= 39 - digits.count else { return nil }
        let text = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        return Integer(text + String(repeating: "0", count: exponent))
    }
}

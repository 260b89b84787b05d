package import CoreNetKitEssentials

extension JsonDocument {
    /// A number as an integer, if it is whole and fits, however it is written (`100`, `1e2`).
    @inline(__always)
    package func integer<Integer: FixedWidthInteger>(at index: UInt32, as type: Integer.Type) -> Integer? {
        let bytes = bytes(of: index)
        guard !self[index].traits.contains(.fractional) else { return JsonNumber(string(at: index)).integer() }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        guard bytes.count < 19 else { return longInteger(at: index) }
        var magnitude: Int64 = 0
        var place = isNegative ? 1 : 0
        while place < bytes.count {
            magnitude = magnitude &* 10 &+ Int64(bytes[place] &- UInt8(ascii: "0"))
            place &+= 1
        }
        return Integer(exactly: isNegative ? 0 &- magnitude : magnitude)
    }

    /// The same for any value; also `nil` if it is not a number.
    @inline(__always)
    func wholeNumber<Integer: FixedWidthInteger>(at index: UInt32, as type: Integer.Type) -> Integer? {
        self[index].kind == .number ? integer(at: index, as: type) : nil
    }

    @inline(never)
    private func longInteger<Integer: FixedWidthInteger>(at index: UInt32) -> Integer? {
        Integer(string(at: index))
    }

    /// The `Double` nearest to a number; `nil` if the number is out of range.
    package func double(at index: UInt32) -> Double? {
        exactDouble(at: index) ?? JsonNumber.nearest(to: string(at: index))
    }

    package func float(at index: UInt32) -> Float? {
        // A `Double` in between would round twice.
        JsonNumber.nearest(to: string(at: index))
    }

    /// A number whose digits and power of ten are exact as a `Double`, so that one rounding gives the nearest one.
    ///
    /// - SeeAlso: W. D. Clinger, "How to read floating point numbers accurately", 1990.
    private func exactDouble(at index: UInt32) -> Double? {
        let bytes = bytes(of: index)
        let isNegative = bytes[0] == UInt8(ascii: "-")
        // This many digits fit, even if all of the bytes are digits.
        guard bytes.count <= 19 else { return nil }
        var magnitude: UInt64 = 0
        var exponent = 0
        var next = isNegative ? 1 : 0
        var isFraction = false
        while next < bytes.count {
            let byte = bytes[next]
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                let digit = byte &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                magnitude = magnitude &* 10 &+ UInt64(digit)
                if isFraction { exponent -= 1 }
            }
            next += 1
        }
        if next < bytes.count {
            let text = UnsafeBufferPointer(rebasing: bytes[(next + 1)...])
            guard let written = Int(String(decoding: text, as: UTF8.self)), written.magnitude < 1000 else { return nil }
            exponent += written
        }
        guard magnitude <= 1 << 53, abs(exponent) < Self.powersOfTen.count else { return nil }
        let power = Self.powersOfTen[abs(exponent)]
        let value = exponent < 0 ? Double(magnitude) / power : Double(magnitude) * power
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    package func decimal(at index: UInt32) -> Decimal? {
        guard let value = Decimal(string: string(at: index)), !value.isNaN else { return nil }
        return value
    }
}

/// The value of a number's text, however it is written: `1`, `1.0` and `10e-1` are one number.
struct JsonNumber: Hashable {
    private var isNegative = false
    /// Without zeros at either end; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten that the digits are multiplied by.
    private var exponent = 0
    /// The text of a number whose exponent does not fit in `Int`; it is equal only to itself.
    private var immense: String?

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

    var precision: Int { digits.count }

    /// The floating-point number nearest to a number's text; `nil` if the number is out of range.
    static func nearest<Value: BinaryFloatingPoint & LosslessStringConvertible>(to text: String) -> Value? {
        guard let value = Value(text), value.isFinite else { return nil }
        return value == 0 && !JsonNumber(text).isZero ? nil : value
    }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
        if isZero { return 0 }
        guard immense == nil, exponent >= 0, exponent <= 39 - digits.count else { return nil }
        let text = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        return Integer(text + String(repeating: "0", count: exponent))
    }
}

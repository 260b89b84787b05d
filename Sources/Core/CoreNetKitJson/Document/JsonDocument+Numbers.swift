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
    package func double(at index: UInt32) -> Double? { exactDouble(at: index) ?? nearest(to: string(at: index)) }

    /// The `Float` nearest to a number; `nil` if the number is out of range.
    package func float(at index: UInt32) -> Float? {
        // A `Double` in between would round twice.
        nearest(to: string(at: index))
    }

    private func nearest<Value: BinaryFloatingPoint & LosslessStringConvertible>(to text: String) -> Value? {
        guard let value = Value(text), value.isFinite else { return nil }
        return value == 0 && !JsonNumber(text).isZero ? nil : value
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

    /// A number as a `Decimal`; `nil` if it is out of range.
    package func decimal(at index: UInt32) -> Decimal? {
        guard let value = Decimal(string: string(at: index)), !value.isNaN else { return nil }
        return value
    }
}

package import CoreNetKitHTTP

/// Numbers of seconds in fields (RFC 9111, 1.2.2).
package enum DeltaSeconds {
    /// The largest number; larger ones are limited to it.
    package static let limit: Int64 = 1 << 31

    /// Parses decimal digits; limits the number to ``limit``, and returns `nil` for anything but digits.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        var value: Int64 = 0
        var isEmpty = true
        for byte in text.utf8 {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = min(limit, value * 10 + Int64(byte - UInt8(ascii: "0")))
            isEmpty = false
        }
        return isEmpty ? nil : value
    }

    /// The value of `Age`: the first member of the first line, 0 if it is unreadable (RFC 9111, 5.1).
    package static func age(_ headers: Headers) -> Int64 {
        headers["Age"].flatMap { FieldScanner.members(of: [$0])?.first }.flatMap { parse($0) } ?? 0
    }
}

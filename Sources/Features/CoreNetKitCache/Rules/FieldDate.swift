import CoreNetKitSystem

import CoreNetKitEssentials

/// Dates of fields as milliseconds since 1970.
package enum FieldDate {
    /// Parses the three forms of RFC 9110, 5.6.7, in any letter case, and only in GMT.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        let now = Date(timeIntervalSince1970: Double(now) / 1000)
        let date = HTTPDate.parse(text, now: now) ?? HTTPDate.parse(withCanonicalCase(text), now: now)
        // Years 1 to 9999 fit easily.
        return date.map { Int64($0.timeIntervalSince1970 * 1000) }
    }

    /// Formats a date in the preferred form, in whole seconds.
    package static func format(_ milliseconds: Int64) -> String {
        HTTPDate.format(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    /// `THU, 18 AUG 2050 … gMT` as `Thu, 18 Aug 2050 … GMT`.
    private static func withCanonicalCase(_ text: String) -> String {
        var bytes: [UInt8] = []
        var isInside = false
        for byte in text.utf8 {
            let lower = byte | 0x20
            let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
            bytes.append(!isLetter ? byte : isInside ? lower : lower & 0xDF)
            isInside = isLetter
        }
        if bytes.count > 3, bytes.suffix(3).elementsEqual("Gmt".utf8) {
            bytes.replaceSubrange((bytes.count - 3)..., with: "GMT".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

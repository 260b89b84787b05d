import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// What the fields of a stored response mean to a cache, parsed once for every later use.
package final class ResponseFacts: Sendable {
    package let control: CacheControl
    package let hasAge: Bool
    /// The value of `Age`, in seconds.
    package let age: Int64
    /// `Date`, or else the time of receipt.
    package let date: Int64
    /// `Expires`; long ago for several lines or no date, which mean expired, not absent (RFC 9111, 5.3).
    package let expires: Int64?
    package let lastModified: Int64?
    package let lastModifiedText: String?
    package let entityTag: String?
    package let groups: [String]
    /// The range of the representation in the content, if the fields declare one.
    package let contentRange: ContentRange?

    package init(_ headers: Headers, responseTime: Int64) {
        control = CacheControl(headers)
        hasAge = headers.contains("Age")
        // The first member of the first line, 0 if it is unreadable (RFC 9111, 5.1).
        let age = headers["Age"].flatMap { FieldScanner.members(of: [$0])?.first }
        self.age = age.flatMap { CacheControl.seconds($0) } ?? 0
        date = headers["Date"].flatMap { FieldDate.parse($0, now: responseTime) } ?? responseTime
        let lines = headers[values: "Expires"]
        let time = lines.count == 1 ? FieldDate.parse(lines[0], now: responseTime) : nil
        expires = lines.isEmpty ? nil : time ?? .min
        lastModifiedText = headers["Last-Modified"]
        lastModified = lastModifiedText.flatMap { FieldDate.parse($0, now: responseTime) }
        entityTag = headers["ETag"].flatMap { $0.isEmpty ? nil : $0 }
        groups = headers.contains("Cache-Groups") ? Invalidation.groups(of: headers) : []
        contentRange = ContentRange(headers).flatMap { $0.total == nil ? nil : $0 }
    }
}

/// Dates of fields as milliseconds since 1970.
package enum FieldDate {
    /// Parses the three forms of RFC 9110, 5.6.7, in any letter case, and only in GMT.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        let now = Date(timeIntervalSince1970: Double(now) / 1000)
        let date = HTTPDate.parse(text, now: now) ?? HTTPDate.parse(withCanonicalCase(text), now: now)
        // Years 1 to 9999 fit easily.
        return date.map { Int64($0.timeIntervalSince1970 * 1000) }
    }

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

package import CoreNetKitEssentials
import CoreNetKitSystem

/// What a server says of the time after which a request may come again (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// How long the server asks to wait: seconds or a date; `nil` when it says nothing readable.
    ///
    /// A date in the past is no wait. More seconds than fit are taken as the most that fit.
    package static func wait(of headers: Headers, now: () -> Date) -> Duration? {
        guard let text = headers["Retry-After"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Duration.seconds(Int64(text) ?? .max).bounded
        }
        let now = now()
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return date.length(from: now)
    }
}

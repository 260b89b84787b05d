package import CoreNetKitEssentials
import CoreNetKitSystem

/// The time that a server asks clients to wait before another request (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// How long the server asks to wait: seconds or a date; `nil` without a valid value.
    ///
    /// A date in the past means no wait. A number of seconds that is too large saturates.
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

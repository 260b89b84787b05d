#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import CoreNetKitChain
import CoreNetKitSystem
package import CoreNetKitHTTP

package enum RetryAfter {
    /// How long the server asks to wait (RFC 9110, 10.2.3): seconds or a date; `nil` when it says nothing readable.
    ///
    /// A date in the past is no wait. More seconds than fit are taken as the most that fit.
    package static func wait(of headers: Headers, now: () -> Date) -> Duration? {
        guard let text = headers["Retry-After"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? .max, longest))
        }
        let now = now()
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .seconds(min(max(date.timeIntervalSince(now), 0), Double(longest)))
    }

    /// A hundred years: more than anybody waits, and safe to count with.
    private static var longest: Int64 { 3_155_760_000 }
}

import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// A strong validator, which proves that two responses are parts of the same bytes.
package enum DownloadValidator: Sendable, Hashable, Codable {
    /// A strong entity tag, with its quotes.
    case tag(String)
    /// A modification date that is safely in the past.
    case date(String)

    /// The validator of a response; a weak tag or a date within the last second does not count.
    package init?(_ headers: Headers) {
        if let tag = headers["ETag"] {
            guard tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 else { return nil }
            self = .tag(tag)
            return
        }
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0) }), modified.addingTimeInterval(1) <= date
        else { return nil }
        self = .date(text)
    }

    /// The value of `If-Range`.
    package var field: String {
        switch self {
        case .tag(let tag): tag
        case .date(let date): date
        }
    }

    /// Whether a response is of other bytes; `nil` if it has no validator.
    package func differs(from headers: Headers) -> Bool? {
        switch self {
        case .tag(let tag): headers["ETag"].map { $0 != tag }
        case .date(let date): headers["Last-Modified"].map { $0 != date }
        }
    }
}

import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// What says that two responses are parts of the same bytes: a strong validator.
package enum DownloadValidator: Sendable, Hashable, Codable {
    /// A strong entity tag, with its quotes.
    case tag(String)
    /// A date of last modification that is safely in the past.
    case date(String)

    /// The validator of a response; a weak tag, or a date of the last second, is none.
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

    /// Whether a response is one of other bytes; `nil` when it does not say.
    package func differs(from headers: Headers) -> Bool? {
        switch self {
        case .tag(let tag): headers["ETag"].map { $0 != tag }
        case .date(let date): headers["Last-Modified"].map { $0 != date }
        }
    }
}

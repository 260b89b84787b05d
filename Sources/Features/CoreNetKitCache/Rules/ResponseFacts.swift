package import CoreNetKitHTTP

/// What the fields of a stored response mean to a cache, parsed once for every later use.
package final class ResponseFacts: Sendable {
    /// The value of `Expires`, if there is one.
    package enum Expiry: Sendable, Hashable {
        case absent
        /// Several lines, or no date: already expired, not absent (RFC 9111, 5.3).
        case unreadable
        case at(Int64)
    }

    package let control: CacheControl
    /// Whether there is an `Age`.
    package let hasAge: Bool
    /// The value of `Age`, in seconds.
    package let age: Int64
    /// `Date`, or else the time of receipt.
    package let date: Int64
    package let expiry: Expiry
    package let lastModified: Int64?
    package let lastModifiedText: String?
    package let entityTag: String?
    package let groups: [String]
    /// The range of the representation in the content, if the fields declare one.
    package let contentRange: ContentRange?

    /// Parses the fields.
    ///
    /// - Parameters:
    ///   - headers: The fields of a response.
    ///   - received: When it was received, in milliseconds since 1970.
    package init(_ headers: Headers, received: Int64) {
        control = CacheControl(headers)
        hasAge = headers.contains("Age")
        age = hasAge ? DeltaSeconds.age(headers) : 0
        date = headers["Date"].flatMap { FieldDate.parse($0, now: received) } ?? received
        let expires = headers[values: "Expires"]
        if expires.isEmpty {
            expiry = .absent
        } else if expires.count == 1, let time = FieldDate.parse(expires[0], now: received) {
            expiry = .at(time)
        } else {
            expiry = .unreadable
        }
        lastModifiedText = headers["Last-Modified"]
        lastModified = lastModifiedText.flatMap { FieldDate.parse($0, now: received) }
        entityTag = headers["ETag"].flatMap { $0.isEmpty ? nil : $0 }
        groups = headers.contains("Cache-Groups") ? CacheGroups.of(headers) : []
        contentRange = ContentRange(headers).flatMap { $0.total == nil ? nil : $0 }
    }

    /// Whether the fields explicitly state how long the response stays fresh, or that it may be stored.
    package var isExplicit: Bool {
        control.maxAge != nil || expiry != .absent || control.isPublic || control.isPrivate
    }
}

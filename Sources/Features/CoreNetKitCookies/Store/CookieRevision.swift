import CoreNetKitEssentials
import CoreNetKitSystem

/// Which revision of a file a cookie was stored with: what two cookies are compared by has no part of it.
struct CookieRevision: Sendable, Hashable, Codable {
    /// `nil` for what no file has yet.
    var number: UInt64?

    init(_ number: UInt64? = nil) { self.number = number }

    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(UInt64.self) }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(number ?? 0)
    }

    static func == (left: CookieRevision, right: CookieRevision) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension KeyedDecodingContainer {
    /// Files of older versions have no such member.
    func decode(_ type: CookieRevision.Type, forKey key: Key) throws -> CookieRevision {
        try decodeIfPresent(type, forKey: key) ?? CookieRevision(0)
    }
}

extension Cookie {
    /// When it was set.
    var setAt: WallMoment { taken.moment ?? WallMoment(wall: created.milliseconds) }

    /// Whether it is as it was, but for when it was used.
    func isUnchanged(since other: Cookie) -> Bool {
        value == other.value && expires == other.expires && taken.moment == other.taken.moment
    }
}

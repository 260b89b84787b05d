import CoreNetKitEssentials
import CoreNetKitSystem

/// The revision of the file that first contained a cookie; ignored when cookies are compared.
struct CookieRevision: Sendable, Hashable, Codable {
    /// `nil` for a cookie that is in no file yet.
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
    /// Missing in files of older versions.
    func decode(_ type: CookieRevision.Type, forKey key: Key) throws -> CookieRevision {
        try decodeIfPresent(type, forKey: key) ?? CookieRevision(0)
    }
}

extension Cookie {
    /// When it was set.
    var setAt: WallMoment { taken.moment ?? WallMoment(wall: created.milliseconds) }

    /// Whether it is unchanged, apart from the time of its use.
    func isUnchanged(since other: Cookie) -> Bool {
        value == other.value && expires == other.expires && taken.moment == other.taken.moment
    }
}

import CoreNetKitEssentials
import CoreNetKitSystem

struct JarTime: Sendable {
    let date: Date
    let moment: WallMoment
    /// How long the jar has existed, in milliseconds.
    let jarAge: Int64
}

/// When a cookie was received; ignored when cookies are compared.
struct CookieReceiptTime: Sendable, Hashable, Codable {
    /// `nil` for a cookie that is not in a jar yet, or was stored by an older version.
    var moment: WallMoment?

    init(_ moment: WallMoment? = nil) { self.moment = moment }

    static func == (left: CookieReceiptTime, right: CookieReceiptTime) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    private enum Key: String, CodingKey { case wall, steady, boot }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        guard let wall = try values.decodeIfPresent(Int64.self, forKey: .wall) else { return }
        moment = WallMoment(
            wall: wall,
            steady: try values.decode(Int64.self, forKey: .steady),
            bootID: try values.decode(UInt64.self, forKey: .boot)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(moment?.wall, forKey: .wall)
        try values.encodeIfPresent(moment?.steady, forKey: .steady)
        try values.encodeIfPresent(moment?.bootID, forKey: .boot)
    }
}

extension Cookie {
    /// Whether it is known to have expired, even if the clock was set meanwhile.
    func isExpired(at now: JarTime) -> Bool {
        guard let expires else { return false }
        guard let moment = receiptTime.moment else { return isExpired(at: now.date) }
        let lifetime = moment.milliseconds(until: expires.milliseconds)
        return now.moment.hasElapsed(lifetime, since: moment, watched: now.jarAge) == .yes
    }

    var setAt: WallMoment { receiptTime.moment ?? WallMoment(wall: created.milliseconds) }

    /// Whether it is unchanged, apart from the time of its use.
    func isUnchanged(since other: Cookie) -> Bool {
        value == other.value && expires == other.expires && receiptTime.moment == other.receiptTime.moment
    }
}

/// The revision of the file that first contained a cookie; ignored when cookies are compared.
struct CookieRevision: Sendable, Hashable, Codable {
    /// `nil` for a cookie that is in no file yet.
    var number: UInt64?

    init(_ number: UInt64? = nil) { self.number = number }

    init(from decoder: any Decoder) throws { number = try UInt64(from: decoder) }
    func encode(to encoder: any Encoder) throws { try (number ?? 0).encode(to: encoder) }

    static func == (left: CookieRevision, right: CookieRevision) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

/// Both are missing in files of older versions.
extension KeyedDecodingContainer {
    func decode(_ type: CookieReceiptTime.Type, forKey key: Key) throws -> CookieReceiptTime {
        try decodeIfPresent(type, forKey: key) ?? CookieReceiptTime()
    }

    func decode(_ type: CookieRevision.Type, forKey key: Key) throws -> CookieRevision {
        try decodeIfPresent(type, forKey: key) ?? CookieRevision(0)
    }
}

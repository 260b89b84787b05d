import CoreNetKitSystem

/// What stands in the file of a jar.
///
/// Versions that know neither revisions nor ends read the cookies.
struct CookieSheet: Codable, Sendable {
    var version = 1
    var partitions: [String: [Cookie]] = [:]
    /// Counts what was stored.
    var revision: UInt64?
    /// What was removed, for processes that have it still.
    var ended: [CookieEnd]?
}

/// A cookie that was removed, or all of a partition whose user has signed out.
struct CookieEnd: Codable, Sendable {
    let partition: String
    /// `nil` for the whole partition.
    var place: CookiePlace?
    let revision: UInt64
    private let at: CookieTaken

    init(_ partition: String, _ place: CookiePlace?, revision: UInt64, at moment: WallMoment) {
        (self.partition, self.place, self.revision) = (partition, place, revision)
        at = CookieTaken(moment)
    }

    var moment: WallMoment { at.moment ?? WallMoment(wall: 0) }
}

/// What a jar has to say to a file.
struct CookieNews: Sendable {
    /// What it has, but for partitions that mean nobody in another process.
    var cookies: [String: [CookiePlace: Cookie]] = [:]
    /// What it has removed since it was last stored.
    var removed: [String: [CookiePlace: WallMoment]] = [:]
    /// Partitions whose users have signed out since.
    var ends: [String: WallMoment] = [:]
    /// The revision of the file that the jar has seen; `nil` for none.
    var seen: UInt64?
    /// When the jar was made.
    let birth: WallMoment
}

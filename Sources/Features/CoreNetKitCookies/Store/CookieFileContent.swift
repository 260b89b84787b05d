import CoreNetKitSystem

/// The content of a jar's file.
///
/// Versions without revisions and ends can read the cookies.
struct CookieFileContent: Codable, Sendable {
    var version = 1
    var partitions: [String: [Cookie]] = [:]
    /// Increases with each change.
    var revision: UInt64?
    /// Removals, for processes that still have the cookies.
    var ended: [CookieRemoval]?
}

/// The removal of a cookie, or of a partition whose user has signed out.
struct CookieRemoval: Codable, Sendable {
    let partition: String
    /// `nil` for the whole partition.
    var place: CookieID?
    let revision: UInt64
    private let at: CookieReceiptTime

    init(_ partition: String, _ place: CookieID?, revision: UInt64, at moment: WallMoment) {
        (self.partition, self.place, self.revision) = (partition, place, revision)
        at = CookieReceiptTime(moment)
    }

    var moment: WallMoment { at.moment ?? WallMoment(wall: 0) }
}

/// The changes of a jar for its file.
struct CookieChanges: Sendable {
    /// All its cookies, except those of partitions that are meaningless in another process.
    var cookies: [String: [CookieID: Cookie]] = [:]
    /// Cookies that it has removed since it was last stored.
    var removed: [String: [CookieID: WallMoment]] = [:]
    /// Partitions whose users have signed out since then.
    var ends: [String: WallMoment] = [:]
    /// The revision that the jar last read; `nil` for none.
    var seen: UInt64?
    /// When the jar was created.
    let birth: WallMoment
}

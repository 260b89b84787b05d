public import CoreNetKit

/// A query for a page of alarms, newest first.
public struct AlarmQuery: Sendable, Hashable {
    /// How many alarms a page has, 1 to 100.
    public let limit: Int
    /// Only alarms older than this one; `nil` starts with the newest.
    public let before: Int?

    /// Creates a query; the limit is clamped to 1 to 100.
    public init(limit: Int = 20, before: Int? = nil) {
        self.limit = min(max(limit, 1), 100)
        self.before = before
    }

    /// The newest alarms.
    public static let first = AlarmQuery()
}

/// A page of alarms, newest first.
public struct AlarmPage: DTODecodable, Sendable, Hashable {
    /// The alarms, newest first, without duplicate sequences.
    public let alarms: [Alarm]
    /// How many entries were skipped because they have no sequence.
    public let skipped: Int
    /// Whether older alarms exist.
    public let hasMore: Bool
    /// The value of `before` for the next query.
    public let nextBefore: Int?
    /// How many unread alarms the user has, on all pages.
    public let unreadCount: Int?

    /// Creates the page, without the entries that have no sequence.
    public static func from(dto: AlarmPageEntry) -> AlarmPage {
        var seen: Set<Int> = []
        let valid = dto.entries.compactMap { try? Alarm.from(dto: $0) }
        let alarms = valid.filter { seen.insert($0.sequence).inserted }.sorted { $0.sequence > $1.sequence }
        let next = dto.nextBefore ?? alarms.last?.sequence
        return AlarmPage(
            alarms: alarms,
            skipped: dto.entries.count - valid.count,
            hasMore: dto.hasMore ?? (dto.nextBefore != nil),
            nextBefore: next,
            unreadCount: dto.unreadCount.map { max(0, $0) }
        )
    }
}

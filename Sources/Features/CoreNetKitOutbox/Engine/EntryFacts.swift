import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// What of an entry never changes.
final class EntryFacts: Sendable {
    /// What few entries have.
    struct Rest: Sendable {
        let expires: Int64?
        let mergeKey: String?
        let blob: EntryHead.Blob?
        let conditions: [OutboxCondition]
        let standsFor: [UUID]
        /// Where it stands, if that is not where it came.
        let place: UInt64?

        init?(_ head: EntryHead) {
            let isPlain = head.expires == nil && head.mergeKey == nil && head.blob == nil
            let isTied = !head.conditions.isEmpty || !head.standsFor.isEmpty
            guard !isPlain || isTied || head.place != nil else { return nil }
            (expires, mergeKey, blob) = (head.expires, head.mergeKey, head.blob)
            (conditions, standsFor, place) = (head.conditions, head.standsFor, head.place)
        }
    }

    private final class Box: Sendable {
        let rest: Rest
        init(_ rest: Rest) { self.rest = rest }
    }

    let number: UInt64
    let id: UUID
    let queue: String
    let made: WallMoment
    let count: Int
    let kin: EntryKin
    private let box: Box?

    var rest: Rest? { box?.rest }

    init(number: UInt64, head: EntryHead, count: Int, kin: EntryKin) {
        (self.number, self.count, self.kin) = (number, count, kin)
        (id, queue, made) = (head.id, head.queue, head.made)
        box = Rest(head).map { Box($0) }
    }
}

/// What many entries have in common.
final class EntryKin: Sendable, Hashable {
    let kind: String
    let host: String
    let owner: String?
    let repetition: OutboxRepetition
    let isIdempotentMethod: Bool
    let expects: String?
    let isErrand: Bool

    init(_ head: EntryHead) {
        (kind, host, owner) = (head.kind, head.host, head.owner)
        (repetition, expects, isErrand) = (head.repetition, head.expects, head.isErrand)
        isIdempotentMethod = HTTPMethod(rawValue: head.method).isIdempotent
    }

    static func == (left: EntryKin, right: EntryKin) -> Bool {
        left.kind == right.kind && left.host == right.host && left.owner == right.owner
            && left.repetition == right.repetition && left.isIdempotentMethod == right.isIdempotentMethod
            && left.expects == right.expects && left.isErrand == right.isErrand
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(host)
        hasher.combine(owner)
    }
}

/// What has become of an entry so far.
struct EntryPast: Sendable {
    var state = OutboxEntry.State.waiting
    var attempts = 0
    /// Whether it was tried since it was made, connection or not.
    var wasTried = false
    /// When the first attempt began that may have been executed.
    var firstSent: WallMoment?
    var lastStatus: Int?
    var lastError: String?
    /// Not before this time of the monotonic clock.
    var notBefore: Duration = .zero
    /// What was stored of the last wait, for compaction and for a start.
    var wait: (next: Int64, at: Int64)?
}

/// A past somewhere else than in its entry.
final class SharedPast: Sendable {
    let past: EntryPast
    init(_ past: EntryPast) { self.past = past }
}

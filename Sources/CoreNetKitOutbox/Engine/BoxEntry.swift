import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// An entry in memory: what decides about it, without the request itself.
struct BoxEntry: Sendable {
    let number: UInt64
    let id: UUID
    let queue: String
    let kind: String
    let host: String
    let owner: String?
    let made: WallMoment
    let expires: Int64?
    let mergeKey: String?
    let repetition: OutboxRepetition
    let isIdempotentMethod: Bool
    let expects: String?
    let place: UInt64
    /// Bytes of its record.
    let count: Int
    let blob: EntryHead.Blob?
    let isErrand: Bool

    var state = OutboxEntry.State.waiting
    var attempts = 0
    /// Whether it was tried since it was made, connection or not.
    var wasTried = false
    /// When the first attempt began that may have been carried out.
    var firstSent: WallMoment?
    var lastStatus: Int?
    var lastError: String?
    /// Not before this time of the monotonic clock.
    var notBefore: Duration = .zero
    /// What was stored of the last wait, for compaction and for a start.
    var wait: (next: Int64, at: Int64)?

    init(number: UInt64, head: EntryHead, count: Int) {
        self.number = number
        self.count = count
        (id, queue, kind, host, owner) = (head.id, head.queue, head.kind, head.host, head.owner)
        (made, expires, mergeKey) = (head.made, head.expires, head.mergeKey)
        (repetition, expects, blob) = (head.repetition, head.expects, head.blob)
        isErrand = head.isErrand
        isIdempotentMethod = HTTPMethod(rawValue: head.method).isIdempotent
        place = head.place ?? number
    }

    /// Whether nobody wants it any more.
    func expiry(at time: OutboxTime) -> WallMoment.Passed {
        expires.map { time.passed(made.length(until: $0), since: made) } ?? .no
    }

    /// Whether the server has forgotten the key of the first attempt.
    func keyEnd(at time: OutboxTime) -> WallMoment.Passed {
        guard case .keyIsHonoured(let lifetime) = repetition.rule, let firstSent else { return .no }
        return time.passed(lifetime, since: firstSent)
    }

    /// What decides about an attempt; a key of which nothing is known counts as alive, and is not sent until it is known.
    func facts(at time: OutboxTime) -> DeliveryRules.Facts {
        .init(
            repetition: repetition,
            isIdempotentMethod: isIdempotentMethod,
            attempts: attempts,
            keyIsAlive: keyEnd(at: time) != .yes,
            expects: expects
        )
    }

    /// For people and apps.
    var summary: OutboxEntry {
        OutboxEntry(
            id: id,
            queue: queue,
            kind: kind,
            owner: owner.map(OwnerName.shown),
            made: Date(milliseconds: made.wall),
            expires: expires.map { Date(milliseconds: $0) },
            state: state,
            attempts: attempts,
            lastStatus: lastStatus,
            lastError: lastError
        )
    }

    /// The records that say what has become of it, for a log that is written anew.
    var marks: [LogRecord] {
        switch state {
        case .waiting, .sending:
            guard attempts > 0 || wasTried || wait != nil else { return [] }
            return [LogRecord(kind: .failed, number: number, payload: mark.payload)]
        case .dead(let text):
            var mark = mark
            mark.text = text
            return [LogRecord(kind: .dead, number: number, payload: mark.payload)]
        case .inDoubt(let text):
            var mark = mark
            mark.text = text
            return [LogRecord(kind: .inDoubt, number: number, payload: mark.payload)]
        case .delivered, .cancelled, .expired, .replaced, .dropped: return []
        }
    }

    var mark: EntryMark {
        EntryMark(
            status: lastStatus,
            text: lastError,
            next: wait?.next,
            at: wait?.at,
            attempts: attempts,
            firstSent: firstSent
        )
    }
}

import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// An entry in memory, without its request.
///
/// There may be many, and most only wait: properties that entries share are stored once, and a history only for an entry
/// that has one.
struct IndexedEntry: Sendable {
    private let facts: EntryFacts
    private var sharedHistory: SharedHistory?

    init(_ facts: EntryFacts) { self.facts = facts }

    var number: UInt64 { facts.number }
    var id: UUID { facts.id }
    var queue: String { facts.queue }
    var made: WallMoment { facts.made }
    var position: UInt64 { facts.rareProperties?.position ?? facts.number }
    /// Bytes of its record.
    var count: Int { facts.count }

    var kind: String { facts.shared.kind }
    var host: String { facts.shared.host }
    var owner: String? { facts.shared.owner }
    var repetition: OutboxRepetition { facts.shared.repetition }
    var isIdempotentMethod: Bool { facts.shared.isIdempotentMethod }
    var expects: String? { facts.shared.expects }
    var isJob: Bool { facts.shared.isJob }

    var expires: Int64? { facts.rareProperties?.expires }
    var mergeKey: String? { facts.rareProperties?.mergeKey }
    var blob: EntryHead.Blob? { facts.rareProperties?.blob }
    var conditions: [OutboxCondition] { facts.rareProperties?.conditions ?? [] }
    /// The entries that must be delivered before it.
    var predecessors: [UUID] { conditions.compactMap(\.predecessor) }
    /// Other ids by which entries wait for it.
    var replacedIDs: [UUID] { facts.rareProperties?.replacedIDs ?? [] }

    /// The history of the entry.
    private(set) var history: EntryHistory {
        get { sharedHistory?.history ?? EntryHistory() }
        set { sharedHistory = SharedHistory(newValue) }
    }

    var state: OutboxEntry.State {
        get { sharedHistory?.history.state ?? .waiting }
        set { history.state = newValue }
    }

    var attempts: Int {
        get { sharedHistory?.history.attempts ?? 0 }
        set { history.attempts = newValue }
    }

    var wasTried: Bool {
        get { sharedHistory?.history.wasTried ?? false }
        set { history.wasTried = newValue }
    }

    var firstSent: WallMoment? {
        get { sharedHistory?.history.firstSent }
        set { history.firstSent = newValue }
    }

    var lastStatus: Int? {
        get { sharedHistory?.history.lastStatus }
        set { history.lastStatus = newValue }
    }

    var lastError: String? {
        get { sharedHistory?.history.lastError }
        set { history.lastError = newValue }
    }

    var notBefore: Duration {
        get { sharedHistory?.history.notBefore ?? .zero }
        set { history.notBefore = newValue }
    }

    var wait: (next: Int64, at: Int64)? {
        get { sharedHistory?.history.wait }
        set { history.wait = newValue }
    }

    /// Whether it has expired.
    func expiry(at time: OutboxTime) -> WallMoment.Passed {
        expires.map { time.passed(made.length(until: $0), since: made) } ?? .no
    }

    /// Whether the server has forgotten the key of the first attempt.
    func keyEnd(at time: OutboxTime) -> WallMoment.Passed {
        guard case .keyIsHonoured(let lifetime) = repetition.rule, let firstSent else { return .no }
        return time.passed(lifetime, since: firstSent)
    }

    /// The input for the delivery rules; a key whose age is unknown counts as alive, and is not sent until it is known.
    func facts(at time: OutboxTime) -> DeliveryRules.Facts {
        .init(
            repetition: repetition,
            isIdempotentMethod: isIdempotentMethod,
            attempts: attempts,
            keyIsAlive: keyEnd(at: time) != .yes,
            expects: expects
        )
    }

    /// The public view of the entry.
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

    /// The records of its history, for a compacted log.
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

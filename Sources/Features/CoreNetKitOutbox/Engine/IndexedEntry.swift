import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// An entry in memory, without its request.
///
/// There may be many, and most only wait: properties that entries share are stored once, and a history only for an entry
/// that has one.
struct IndexedEntry: Sendable {
    private let facts: EntryFacts
    /// At most one: an array is a pointer here, and none takes no memory.
    private var histories: [EntryHistory] = []

    init(_ facts: EntryFacts) { self.facts = facts }

    var number: UInt64 { facts.number }
    var id: UUID { facts.id }
    var queue: String { facts.queue }
    var made: WallMoment { facts.made }
    var position: UInt64 { facts.rareProperties?.position ?? facts.number }
    var byteCount: Int { facts.byteCount }

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
    var predecessors: [UUID] { conditions.compactMap(\.predecessor) }
    /// Other ids by which entries wait for it.
    var replacedIDs: [UUID] { facts.rareProperties?.replacedIDs ?? [] }

    var history: EntryHistory {
        get { histories.first ?? EntryHistory() }
        set { histories = [newValue] }
    }

    var state: OutboxEntry.State {
        get { histories.first?.state ?? .waiting }
        set { history.state = newValue }
    }

    func expiry(at time: OutboxTime) -> WallMoment.ElapsedState {
        expires.map { time.hasElapsed(made.milliseconds(until: $0), since: made) } ?? .no
    }

    /// Whether the server has forgotten the key of the first attempt.
    func keyEnd(at time: OutboxTime) -> WallMoment.ElapsedState {
        guard case .keyIsHonoured = repetition.rule, let firstSent = history.firstSent else { return .no }
        return time.hasElapsed(repetition.keyLife, since: firstSent)
    }

    /// The input for the delivery rules; a key whose age is unknown counts as alive, and is not sent until it is known.
    func facts(at time: OutboxTime) -> DeliveryRules.Facts {
        .init(
            repetition: repetition,
            isIdempotentMethod: isIdempotentMethod,
            attempts: history.attempts,
            keyIsAlive: keyEnd(at: time) != .yes,
            expects: expects
        )
    }

    var summary: OutboxEntry {
        OutboxEntry(
            id: id,
            queue: queue,
            kind: kind,
            owner: owner.map(Partition.ownerName(shown:)),
            made: Date(milliseconds: made.wall),
            expires: expires.map { Date(milliseconds: $0) },
            state: state,
            attempts: history.attempts,
            lastStatus: history.lastStatus,
            lastError: history.lastError
        )
    }

    /// The records of its history, for a compacted log.
    var marks: [LogRecord] {
        var mark = history.mark
        let kind: LogRecord.Kind
        switch state {
        case .waiting, .sending:
            guard history.attempts > 0 || history.wasTried || history.wait != nil else { return [] }
            kind = .failed
        case .dead(let text): (kind, mark.text) = (.dead, text)
        case .inDoubt(let text): (kind, mark.text) = (.inDoubt, text)
        case .delivered, .cancelled, .expired, .replaced, .dropped: return []
        }
        return [LogRecord(kind: kind, number: number, payload: mark.payload)]
    }
}

final class EntryFacts: Sendable {
    final class RareProperties: Sendable {
        let expires: Int64?
        let mergeKey: String?
        let blob: EntryHead.Blob?
        let conditions: [OutboxCondition]
        let replacedIDs: [UUID]
        /// Its position in the queue, if that is not its own number.
        let position: UInt64?

        init?(_ head: EntryHead) {
            let isPlain = head.expires == nil && head.mergeKey == nil && head.blob == nil
            let isTied = !head.conditions.isEmpty || !head.replacedIDs.isEmpty
            guard !isPlain || isTied || head.position != nil else { return nil }
            (expires, mergeKey, blob) = (head.expires, head.mergeKey, head.blob)
            (conditions, replacedIDs, position) = (head.conditions, head.replacedIDs, head.position)
        }
    }

    let number: UInt64
    let id: UUID
    let queue: String
    let made: WallMoment
    let byteCount: Int
    let shared: SharedEntryProperties
    let rareProperties: RareProperties?

    init(number: UInt64, head: EntryHead, byteCount: Int, shared: SharedEntryProperties) {
        (self.number, self.byteCount, self.shared) = (number, byteCount, shared)
        (id, queue, made) = (head.id, head.queue, head.made)
        rareProperties = RareProperties(head)
    }
}

final class SharedEntryProperties: Sendable, Hashable {
    let kind: String
    let host: String
    let owner: String?
    let repetition: OutboxRepetition
    let isIdempotentMethod: Bool
    let expects: String?
    let isJob: Bool

    init(_ head: EntryHead) {
        (kind, host, owner) = (head.kind, head.host, head.owner)
        (repetition, expects, isJob) = (head.repetition, head.expects, head.isJob)
        isIdempotentMethod = HTTPMethod(rawValue: head.method).isIdempotent
    }

    static func == (left: SharedEntryProperties, right: SharedEntryProperties) -> Bool {
        left.kind == right.kind && left.host == right.host && left.owner == right.owner
            && left.repetition == right.repetition && left.isIdempotentMethod == right.isIdempotentMethod
            && left.expects == right.expects && left.isJob == right.isJob
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(host)
        hasher.combine(owner)
    }
}

struct EntryHistory: Sendable {
    var state = OutboxEntry.State.waiting
    var attempts = 0
    /// Whether it was tried at all, with or without a connection.
    var wasTried = false
    /// When the first attempt began that the server may have executed.
    var firstSent: WallMoment?
    var lastStatus: Int?
    var lastError: String?
    /// The earliest next attempt, on the monotonic clock.
    var notBefore: Duration = .zero
    /// The last wait as stored, for compaction and for a restart.
    var wait: (next: Int64, at: Int64)?

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

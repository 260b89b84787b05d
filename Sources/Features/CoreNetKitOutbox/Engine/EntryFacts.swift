import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The immutable properties of an entry.
final class EntryFacts: Sendable {
    /// Properties that few entries have.
    struct RareProperties: Sendable {
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

    private final class Box: Sendable {
        let rareProperties: RareProperties
        init(_ rareProperties: RareProperties) { self.rareProperties = rareProperties }
    }

    let number: UInt64
    let id: UUID
    let queue: String
    let made: WallMoment
    let count: Int
    let shared: SharedEntryProperties
    private let box: Box?

    var rareProperties: RareProperties? { box?.rareProperties }

    init(number: UInt64, head: EntryHead, count: Int, shared: SharedEntryProperties) {
        (self.number, self.count, self.shared) = (number, count, shared)
        (id, queue, made) = (head.id, head.queue, head.made)
        box = RareProperties(head).map { Box($0) }
    }
}

/// Properties that many entries share.
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

/// The history of an entry so far.
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
}

/// A history stored outside its entry.
final class SharedHistory: Sendable {
    let history: EntryHistory
    init(_ history: EntryHistory) { self.history = history }
}

public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension Outbox {
    /// Totals since the outbox was created.
    public struct Totals: Hashable, Sendable {
        /// Entries with a response of status 2xx.
        public var delivered = 0
        /// The number of reports, including those that are no longer listed.
        public var reports = 0
        /// How often the files were compacted.
        public var compactions = 0
    }

    /// One queue, for a user interface.
    public struct Queue: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Entries that wait.
        public let waiting: Int
        /// Entries in flight: none or one.
        public let sending: Int
        /// Why the queue is paused until the app acts; `nil` if it is not.
        public let pause: String?
        /// The earliest time of the next attempt; `nil` for at once, or if there is nothing to do.
        public let nextAttempt: Date?
        /// When the oldest waiting entry was created.
        public let oldest: Date?
        /// Bytes of the stored requests.
        public let bytes: Int
    }

    /// An outbox at one moment.
    public struct State: Sendable {
        /// The queues with waiting or running entries, in the order of their creation.
        public var queues: [Queue] = []
        /// Entries that are dead or in doubt, oldest first.
        public var deadLetters: [OutboxEntry] = []
        /// Events that no caller asked for, the newest 100, oldest first.
        public var reports: [OutboxReport] = []
        /// Totals since the outbox was created.
        public var totals = Totals()
        /// Whether this process delivers; another one may.
        public var isDelivering = false
        /// Why the folder cannot be used now; `nil` if it can.
        public var problem: String?

        /// Entries that wait, in all queues.
        public var waiting: Int { queues.reduce(0) { $0 + $1.waiting } }
        /// Entries in flight, in all queues.
        public var sending: Int { queues.reduce(0) { $0 + $1.sending } }
    }

    /// A request that is not delivered yet.
    public struct Waiting: Sendable {
        /// What the outbox knows of the request.
        public let entry: OutboxEntry
        /// The request with its key.
        public let request: OutboxRequest
        /// The receipt, as returned to the caller that stored the request in this process.
        public let receipt: OutboxReceipt
    }

    /// A user's requests of a kind that wait or are in flight, by default those without a user, including those of earlier
    /// processes: for a user interface that shows what is not delivered yet.
    ///
    /// - Returns: The requests in order; none if another process delivers.
    /// - Throws: ``OutboxError`` with code `notReady` when the folder cannot be read.
    public func waiting(_ kind: String, of user: Partition = .anonymous) async throws -> [Waiting] {
        try await opened.waiting(kind, owner: user.isAnonymous ? nil : user.name)
    }
}

extension OutboxEngine {
    func publish() { changes.change { $0 &+= 1 } }

    /// The current state; opens the folder if necessary, because an unread folder must not look empty.
    func snapshot() -> Outbox.State {
        try? requireReady()
        var state = published
        state.queues = index.order.compactMap(summary)
        state.deadLetters = deadLetters()
        state.isDelivering = folderState.role == .delivering
        return state
    }

    func deadLetters() -> [OutboxEntry] {
        index.entries.values.filter(\.state.needsDecision).sorted { $0.number < $1.number }.map(\.summary)
    }

    private func summary(of name: String) -> Outbox.Queue? {
        let lanes = index.queues[name]?.lanes ?? []
        let live = lanes.flatMap(\.live.numbers).compactMap { index[$0] }
        guard !live.isEmpty else { return nil }
        let sending = live.count { $0.state == .sending }
        var pause: String?
        var left = Duration.zero
        if let (first, followsDeadLetter) = index.first(in: name, of: deliveryGate.isPresent) {
            pause = deliveryGate.pause(of: first) ?? unmet(of: first).map { text(of: $0) }
            if options.afterFailure == .block, followsDeadLetter { pause = "the entry before it needs a decision" }
            left = max(first.history.notBefore, deliveryGate.notBefore(first)) - time.monotonic()
        } else {
            let isParked = live.contains { deliveryGate.isParked($0.owner) }
            pause = isParked ? "its owner signs out" : "waits for another owner"
        }
        let next = time.wall.addingReportingOverflow(left.bounded.wholeMilliseconds).partialValue
        return Outbox.Queue(
            name: name,
            waiting: live.count - sending,
            sending: sending,
            pause: pause,
            nextAttempt: left > .zero && sending == 0 ? Date(milliseconds: next) : nil,
            oldest: live.map(\.made.wall).min().map { Date(milliseconds: $0) },
            bytes: live.reduce(0) { $0 + $1.byteCount }
        )
    }

    func waiting(_ kind: String, owner: String?) throws(OutboxError) -> [Outbox.Waiting] {
        try requireReady()
        guard folderState.role == .delivering, let log else { return [] }
        let entries = index.entries.values
            .filter { $0.kind == kind && $0.owner == owner && !$0.state.isFinal && !$0.isJob }
            .sorted { ($0.position, $0.number) < ($1.position, $1.number) }
        var found: [Outbox.Waiting] = []
        for entry in entries {
            // A damaged entry is reported when its turn comes.
            guard let (head, stored) = try? stored(entry.number, in: log) else { continue }
            let state = callers.receipts[entry.id] ?? ReceiptState(id: entry.id)
            callers.receipts[entry.id] = state
            state.set(entry.state)
            let (request, receipt) = (OutboxRequest(stored), OutboxReceipt(head: head, state: state))
            found.append(Outbox.Waiting(entry: entry.summary, request: request, receipt: receipt))
        }
        return found
    }
}

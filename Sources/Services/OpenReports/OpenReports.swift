public import CoreNetKitEssentials
public import AlarmService
public import CoreNetKit
import CoreNetKitChain
import CoreNetKitOutbox
import CoreNetKitSystem
public import DeepLinks

/// Reports each delivered link and each opened alarm once, through the outbox of the client: also when there is no network
/// and when the process ends.
///
/// Nothing is reported unless an app makes one and hands it to the hooks of its services:
///
/// ```swift
/// let opens = OpenReports(to: url, client: client.outbox(outbox))
/// let links = DeepLinkCenter(parser: parser, onDelivered: { opens.report($0) })
/// let list = AlarmList(client: alarms, onOpened: { opens.report($0) }) { $0 }
/// ```
public final class OpenReports: Sendable {
    /// What is sent: the event, and when it happened.
    private struct Entry: Encodable, Sendable {
        let event: OpenEvent
        /// Milliseconds since 1970.
        let at: Int64
    }

    private struct State: Sendable {
        var known: Set<String> = []
        var last: Task<Void, Never>?
    }

    private let url: URL
    private let client: Client
    private let lifetime: Duration
    private let now: @Sendable () -> Date
    private let onLost: @Sendable (OpenEvent, any Error) -> Void
    private let state = Locked(State())

    /// Creates reports.
    ///
    /// - Parameters:
    ///   - url: Where a report is sent: a POST of JSON with an `Idempotency-Key`, which the server is to honour.
    ///   - client: The client that has the outbox.
    ///   - lifetime: After what time a report is of no use any more.
    ///   - now: The time of day.
    ///   - onLost: Called with an event that could not be stored.
    public init(
        to url: URL,
        client: Client,
        lifetime: Duration = .seconds(30 * 86_400),
        now: @escaping @Sendable () -> Date = { Date() },
        onLost: @escaping @Sendable (OpenEvent, any Error) -> Void = { _, _ in }
    ) {
        (self.url, self.client, self.lifetime, self.now, self.onLost) = (url, client, lifetime, now, onLost)
    }

    /// Reports that a link was delivered.
    public func report<Link>(_ arrival: DeepLinkArrival<Link>) {
        report(OpenEvent(arrival, unique: UUID().uuidString))
    }

    /// Reports that an alarm was opened; one that was read before has been reported then.
    public func report(_ alarm: Alarm) {
        if !alarm.isRead { report(OpenEvent(alarm)) }
    }

    /// Reports an event, unless it has been.
    ///
    /// - Parameter event: The event.
    public func report(_ event: OpenEvent) {
        let user = client.configuration.parts.partition()
        let key = Self.key(of: event, user)
        let entry = Entry(event: event, at: now().milliseconds)
        state.withLock { state in
            guard state.known.insert(key).inserted else { return }
            // What is older than this is told apart by the server, by its key.
            if state.known.count > 1000 { state.known = [key] }
            let previous = state.last
            // The deadline of the call that reports it is not its own.
            state.last = Task.detached { [self] in
                await previous?.value
                do { try await store(entry, key, user) } catch { onLost(event, error) }
            }
        }
    }

    /// Waits until every event that was reported is on disk.
    public func stored() async {
        await state.withLock { $0.last }?.value
    }

    private func store(_ entry: Entry, _ key: String, _ user: Partition) async throws {
        let chain: Chain<Entry, OutboxReceipt> = UrlChainsBuilder<URL>(client: client)
            .route(.post, url)
            .set(metadata: ["Idempotency-Key": key])
            .enqueue(
                in: "opens",
                as: "open",
                expires: lifetime,
                merging: key,
                repetition: .keyIsHonoured(),
                of: user
            )
        _ = try await chain.process(entry)
    }

    /// Stable across processes, reveals nothing.
    private static func key(of event: OpenEvent, _ user: Partition) -> String {
        var hash = SHA256()
        for part in [event.kind, event.id, user.name] { hash.update(Array("\(part.utf8.count):\(part)".utf8)) }
        return Hex.encode(hash.digest)
    }
}

public import AlarmService
public import CoreNetKit
import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitOutbox
import CoreNetKitSystem
public import DeepLinks

/// Reports each delivered link and each opened alarm once, through the client's outbox, so that reports survive a missing
/// network and the end of the process.
///
/// Nothing is reported unless an app creates an instance and passes it to the hooks of its services:
///
/// ```swift
/// let opens = OpenReports(to: url, client: client.outbox(outbox))
/// let links = DeepLinkCenter(parser: parser, onDelivered: { opens.report($0) })
/// let list = AlarmList(client: alarms, onOpened: { opens.report($0) }) { $0 }
/// ```
public final class OpenReports: Sendable {
    private struct Entry: Encodable, Sendable {
        let event: OpenEvent
        /// Milliseconds since 1970.
        let at: Int64
    }

    private let url: URL
    private let client: Client
    private let lifetime: Duration
    private let now: @Sendable () -> Date
    private let onLost: @Sendable (OpenEvent, any Error) -> Void
    private let state = Locked((known: Set<String>(), last: Task<Void, Never>?.none))

    /// Creates reports.
    ///
    /// - Parameters:
    ///   - url: The endpoint: a POST of JSON with an `Idempotency-Key`, which the server must honour.
    ///   - client: The client with the outbox.
    ///   - lifetime: How long a report is retried before it expires.
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

    /// Reports that an alarm was opened; a read alarm has been reported before.
    public func report(_ alarm: Alarm) {
        if !alarm.isRead { report(OpenEvent(alarm)) }
    }

    /// Reports an event, unless it was already reported.
    public func report(_ event: OpenEvent) {
        let user = client.configuration.parts.partition()
        let key = Self.key(of: event, user)
        let entry = Entry(event: event, at: now().milliseconds)
        state.withLock { state in
            guard state.known.insert(key).inserted else { return }
            // Forgets old keys; the server recognizes repeated reports by their `Idempotency-Key`.
            if state.known.count > 1000 { state.known = [key] }
            let previous = state.last
            // Detached, so that the deadline of the reporting call does not apply.
            state.last = Task.detached { [self] in
                await previous?.value
                do { try await store(entry, key, user) } catch { onLost(event, error) }
            }
        }
    }

    /// Waits until every reported event is on disk.
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
                of: user,
                sending: .json
            )
        _ = try await chain.process(entry)
    }

    /// A key that is stable across processes and reveals nothing.
    private static func key(of event: OpenEvent, _ user: Partition) -> String {
        let parts = [event.kind, event.id, user.name].map { "\($0.utf8.count):\($0)" }
        return Hex.encode(SHA256.digest(parts.joined().utf8))
    }
}

/// An open event to report: names the page or type that the user opened, never the content of a link.
public struct OpenEvent: Encodable, Sendable, Hashable {
    /// The kind of thing, such as `link` or `alarm`.
    public var kind: String
    /// Identifies it among its kind: events with the same id are reported once.
    public var id: String
    /// The page or type, such as `/messages/:id`.
    public var what: String
    /// The source, such as `notification`.
    public var source: String?
    /// The campaign, if there is one.
    public var campaign: String?
    /// The action of the notification that the user chose.
    public var action: String?

    /// Creates an event.
    public init(
        _ kind: String,
        id: String,
        what: String,
        source: String? = nil,
        campaign: String? = nil,
        action: String? = nil
    ) {
        (self.kind, self.id, self.what) = (kind, id, what)
        (self.source, self.campaign, self.action) = (source, campaign, action)
    }

    /// Creates the event of a delivered link; without a notification's id each delivery is a separate event.
    public init<Link>(_ arrival: DeepLinkArrival<Link>, unique: @autoclosure () -> String) {
        let action = arrival.action
        let id = arrival.notificationID.map { "\($0) \(action ?? "")" } ?? unique()
        self.init(
            "link",
            id: id,
            what: "\(arrival.pattern)",
            source: arrival.sourceKind.rawValue,
            campaign: arrival.campaign?.name,
            action: action
        )
    }

    /// Creates the event of an opened alarm.
    public init(_ alarm: Alarm) {
        self.init("alarm", id: String(alarm.sequence), what: alarm.notificationType)
    }
}

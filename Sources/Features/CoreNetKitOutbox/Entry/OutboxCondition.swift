public import CoreNetKitEssentials
import CoreNetKitSystem

/// A condition that a request waits for, besides its turn.
///
/// While the first entry of a queue waits, the whole queue waits: its order is kept.
public struct OutboxCondition: Hashable, Sendable, CustomStringConvertible {
    enum Rule: Hashable, Sendable {
        case holds(String)
        case after(UUID)
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// There is a network.
    ///
    /// Without a source that reports it, the outbox tries, and waits for a connection by itself.
    public static let connected = OutboxCondition(.holds("connected"))

    /// There is a network without charges by volume.
    public static let unmetered = OutboxCondition(.holds("unmetered"))

    /// A custom condition reported by your ``OutboxConditionSource``, such as charging.
    ///
    /// Its name has 1 to 255 bytes, without spaces and control characters.
    public static func named(_ name: String) -> OutboxCondition { OutboxCondition(.holds(name)) }

    /// Another request, ``OutboxReceipt/id``, was delivered, in whichever queue.
    ///
    /// While that one is dead or in doubt this one waits, and the state of its queue says so. When it ends without being
    /// delivered (cancelled, discarded, expired, dropped) this one becomes a dead letter. If that one is replaced, by a
    /// newer draft or a changed dead letter, this one waits for the replacement.
    public static func after(_ id: UUID) -> OutboxCondition { OutboxCondition(.after(id)) }

    /// One word or two, as stored.
    public var description: String {
        switch rule {
        case .holds(let name): name
        case .after(let id): "after \(id.uuidString)"
        }
    }

    /// Reads a stored condition; one that this version does not know is a name that no source reports, and waits.
    init(stored text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == "after", let id = UUID(uuidString: String(parts[1])) {
            self.init(.after(id))
        } else {
            self.init(.holds(text))
        }
    }

    var predecessor: UUID? { if case .after(let id) = rule { id } else { nil } }
}

/// Reports to an outbox which conditions hold, such as a setting of the app or the state of the network.
///
/// ### Use an existing source
/// ``ManualConditions`` is set by hand, in tests and by apps that know the state themselves.
///
/// ### Implement a source
/// List the conditions that it reports, and yield the whole set after each change:
/// ```swift
/// struct NetworkConditions: OutboxConditionSource {
///     let isOnline: AsyncStream<Bool>
///     let known: Set<OutboxCondition> = [.connected]
///
///     func holding() -> AsyncStream<Set<OutboxCondition>> {
///         AsyncStream { continuation in
///             let task = Task {
///                 for await isOnline in isOnline { continuation.yield(isOnline ? [.connected] : []) }
///                 continuation.finish()
///             }
///             continuation.onTermination = { _ in task.cancel() }
///         }
///     }
/// }
/// ```
public protocol OutboxConditionSource: Sendable {
    /// The conditions that it reports; requests that need any other are refused when they are stored.
    var known: Set<OutboxCondition> { get }

    /// The conditions that hold: the current set at once, then the whole set after each change.
    ///
    /// The process that delivers reads it as long as it delivers. When the stream ends, its last set stays valid.
    func holding() -> AsyncStream<Set<OutboxCondition>>
}

/// Conditions that a test or the app sets by hand.
///
/// ```swift
/// let conditions = ManualConditions([.connected], known: [.connected, .unmetered])
/// conditions.set(.unmetered, true)        // releases the entries that waited for it
/// ```
public final class ManualConditions: OutboxConditionSource {
    private let feed: StateFeed<Set<OutboxCondition>>

    /// The conditions that this source reports.
    public let known: Set<OutboxCondition>

    /// Creates a source with the conditions that hold at first and those that it reports.
    public init(_ holding: Set<OutboxCondition> = [], known: Set<OutboxCondition> = [.connected, .unmetered]) {
        self.known = known
        feed = StateFeed(holding)
    }

    /// Sets whether a condition holds.
    public func set(_ condition: OutboxCondition, _ holds: Bool) {
        feed.change { if holds { $0.insert(condition) } else { $0.remove(condition) } }
    }

    /// The conditions that hold now, and again after each change; a slow reader sees only the newest set.
    public func holding() -> AsyncStream<Set<OutboxCondition>> { feed.values }
}

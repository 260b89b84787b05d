public import CoreNetKitEssentials

/// What a request waits for, besides its turn.
///
/// A queue stands still while the first entry in it waits: its order holds.
public struct OutboxCondition: Hashable, Sendable, CustomStringConvertible {
    enum Rule: Hashable, Sendable {
        case holds(String)
        case after(UUID)
    }

    let rule: Rule

    init(_ rule: Rule) { self.rule = rule }

    /// There is a network.
    ///
    /// Without a source that knows, the outbox tries, and waits for a connection by itself.
    public static let connected = OutboxCondition(.holds("connected"))

    /// There is a network that is not paid for by volume.
    public static let unmetered = OutboxCondition(.holds("unmetered"))

    /// Something that a source of one's own can tell: a charger, a roof over the head.
    ///
    /// - Parameter name: The name, 1 to 255 bytes, without spaces and control characters.
    /// - Returns: The condition.
    public static func named(_ name: String) -> OutboxCondition { OutboxCondition(.holds(name)) }

    /// Another request was delivered, whichever queue that is in.
    ///
    /// While that one is dead or in doubt this one waits, and the state of its queue says so. When it is given up for good
    /// (cancelled, discarded, expired, dropped) this one becomes a dead letter itself, for somebody to decide. What takes
    /// that one's place, a newer draft or a changed letter, is waited for instead.
    ///
    /// - Parameter id: The other entry, ``OutboxReceipt/id``.
    /// - Returns: The condition.
    public static func after(_ id: UUID) -> OutboxCondition { OutboxCondition(.after(id)) }

    /// One word or two, as it is stored.
    public var description: String {
        switch rule {
        case .holds(let name): name
        case .after(let id): "after \(id.uuidString)"
        }
    }

    /// Reads what was stored; what this version does not know is a name that nobody tells of, and waits.
    init(stored text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == "after", let id = UUID(uuidString: String(parts[1])) {
            self.init(.after(id))
        } else {
            self.init(.holds(text))
        }
    }

    /// The entry that is to be delivered before.
    var predecessor: UUID? { if case .after(let id) = rule { id } else { nil } }
}

/// Tells an outbox which conditions hold: a switch of the app, the state of the network, whatever somebody knows.
///
/// ### Use an existing source
/// ``ManualConditions`` is told by hand, in tests and by apps that know by themselves.
///
/// ### Implement a source
/// Say what it can tell, and give the whole set whenever it has changed:
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
    /// The conditions that it can tell of; requests that need any other are refused when they are stored.
    var known: Set<OutboxCondition> { get }

    /// Which of them hold: those of now at once, then all of them whenever one has changed.
    ///
    /// Read by the process that delivers, for as long as it does. When it ends, the last ones hold on.
    func holding() -> AsyncStream<Set<OutboxCondition>>
}

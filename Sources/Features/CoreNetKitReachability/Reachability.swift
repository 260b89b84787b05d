public import CoreNetKitChain
import CoreNetKitSystem

/// Whether the machine has a route to other networks, and when that changes.
///
/// On Linux: whether there is a default route over an interface that is up, as the kernel reports it by netlink. On
/// Apple's systems: whether `NWPathMonitor` reports a satisfied path. It says nothing about any server, so calls do not
/// check it. Use it for a message such as "you are offline", and to resume retries as soon as the network returns, see
/// `reconnects(with:)`.
///
/// Create one for the process; it watches the network while it is held, or while a stream of its ``updates`` is read.
public final class Reachability: Sendable {
    fileprivate let feed: StateFeed<NetworkState>
    private let monitor: NetworkMonitor?

    /// Watches the network of the machine.
    ///
    /// If the network cannot be watched, as in a process without the right to open a netlink socket, it counts as reachable;
    /// ``problem`` says why.
    public convenience init() {
        let feed = StateFeed(NetworkState(isReachable: true))
        self.init(feed, NetworkMonitor(feed))
    }

    private init(_ feed: StateFeed<NetworkState>, _ monitor: NetworkMonitor?) {
        (self.feed, self.monitor) = (feed, monitor)
    }

    /// Why the network is not watched; `nil` if it is.
    public var problem: String? { monitor?.problem }

    /// Whether the network is reachable now.
    public var isReachable: Bool { feed.value.isReachable }

    /// Whether the network is reachable: the current state at once, then each change.
    ///
    /// Streams are independent; a slow reader gets only the latest state. A stream ends with the task that reads it.
    public var updates: AsyncStream<Bool> {
        let states = feed.values
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [self] in
            var last: Bool?
            for await state in states where state.isReachable != last {
                last = state.isReachable
                continuation.yield(state.isReachable)
            }
            continuation.finish()
            withExtendedLifetime(self) {}
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// A simulated network for tests.
    public final class Fake: Sendable {
        /// The value to pass to the code under test.
        public let reachability: Reachability

        /// Creates a simulated network.
        public init(isReachable: Bool = true) {
            reachability = Reachability(StateFeed(NetworkState(isReachable: isReachable)), nil)
        }

        /// Changes the network; setting the same state again has no effect.
        public func set(isReachable: Bool) { reachability.feed.update(isReachable) }
    }
}

extension StateFeed<NetworkState> {
    func update(_ isReachable: Bool) { change { $0 = $0.followed(by: isReachable) } }
}

extension PolicyHolder {
    /// Ends waits before a retry when the network returns: those of this client's outbox, event streams and sockets.
    ///
    /// They end within a second, each at a random time. A wait that a server requested keeps its length. The last setting
    /// applies, and holds the object.
    public func reconnects(with reachability: Reachability) -> Self {
        with(NetworkReturn(reachability.feed, by: reachability))
    }
}

public import CoreNetKitChain
import CoreNetKitSystem

/// Whether the machine has a way to other networks, and when that changes.
///
/// On Linux: whether there is a default route over an interface that is up, as the kernel tells it by netlink. On Apple's systems:
/// what `NWPathMonitor` takes for a satisfied path. It says nothing about any server, so no call asks it: it is there for
/// a line such as "you are offline", and so that waits end when the network is back, see `reconnects(with:)`.
///
/// Make one for the process; it watches for as long as it is held, or a stream of its ``updates`` is read.
public final class Reachability: Sendable {
    fileprivate let feed: StateFeed<NetworkState>
    private let watch: NetworkWatch?

    /// Watches the network of the machine.
    ///
    /// Where it cannot be watched, as in a process that may open no netlink socket, the network counts as reachable;
    /// ``problem`` says why.
    public convenience init() {
        let feed = StateFeed(NetworkState(isReachable: true))
        self.init(feed, NetworkWatch(feed))
    }

    private init(_ feed: StateFeed<NetworkState>, _ watch: NetworkWatch?) { (self.feed, self.watch) = (feed, watch) }

    /// Why the network is not watched; `nil` where it is.
    public var problem: String? { watch?.problem }

    /// Whether the network is reachable now.
    public var isReachable: Bool { feed.value.isReachable }

    /// Whether the network is reachable: at once, and then each time that it changes.
    ///
    /// Each stream has all of it; a reader that is busy gets the newest. It ends with the task that reads it.
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

}

extension Reachability {
    /// A network that tests switch on and off.
    public final class StandIn: Sendable {
        /// What the code under test is given.
        public let reachability: Reachability

        /// Creates one.
        public init(isReachable: Bool = true) {
            reachability = Reachability(StateFeed(NetworkState(isReachable: isReachable)), nil)
        }

        /// Changes the network; the same state again is no news.
        public func set(isReachable: Bool) { reachability.feed.follow(isReachable) }
    }
}

extension StateFeed<NetworkState> {
    /// Takes in what the network is by now.
    func follow(_ isReachable: Bool) { change { $0.followed(by: isReachable) } }
}

extension PolicyHolder {
    /// Lets waits before another try end when the network comes back: those of an outbox that this client runs, of its streams of
    /// events and of its sockets.
    ///
    /// They end within a second, each at a time of its own. A wait that a server has asked for keeps its length. The last setting
    /// counts, and holds the object.
    ///
    /// - Parameter reachability: Who watches the network.
    /// - Returns: A changed copy.
    public func reconnects(with reachability: Reachability) -> Self {
        with(NetworkReturn(reachability.feed, by: reachability))
    }
}

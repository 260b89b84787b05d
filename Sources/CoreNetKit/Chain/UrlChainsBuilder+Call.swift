public import CoreNetKitHTTP
public import Dispatch

extension UrlChainsBuilder {
    /// Sets the transport of these chains instead of the client's.
    public func set(transport: any Transport) -> Self {
        with { $0.request.transport = transport }
    }

    /// Sets the limits of each exchange.
    public func set(timeouts: Timeouts) -> Self {
        with { $0.request.timeouts = timeouts }
    }

    /// Sets how long a call may take in all, with every wait, retry and redirect: 60 s by default, `nil` for no limit.
    public func set(deadline: Duration?) -> Self {
        with { $0.call.deadline = deadline }
    }

    /// Sets how many redirects a call follows: 10 by default, 0 makes every redirect an answer.
    public func set(redirectLimit: Int) -> Self {
        with { $0.request.redirectLimit = redirectLimit }
    }

    /// Sets the most bytes of content to collect: 64 MiB by default.
    public func set(responseLimit: Int) -> Self {
        with { $0.request.delivery = .collect(limit: responseLimit) }
    }

    /// Sets the queue on which listeners without an actor of their own are called: main by default.
    public func set(responseQueue: DispatchQueue) -> Self {
        with { $0.call.queue = responseQueue }
    }

    /// Sets the priority at which a call that answers through an observer starts: `.userInitiated` by default.
    public func set(priority: TaskPriority) -> Self {
        with { $0.call.priority = priority }
    }

    /// Records each call.
    ///
    /// - Parameters:
    ///   - sink: Where the stories of the calls go.
    ///   - level: Lines below this level are not recorded.
    ///   - isOnlyForFailures: Whether only calls that failed are handed to the sink.
    /// - Returns: A changed copy.
    public func log(
        to sink: any LogSink,
        level: LogLevel = .info,
        isOnlyForFailures: Bool = false
    ) -> Self {
        with {
            $0.call.log = LogConfiguration(to: sink, level: level, isOnlyForFailures: isOnlyForFailures)
        }
    }

    /// Leaves the lines of these nodes out of the record, besides those left out before.
    public func log(exclude nodes: [NodeID]) -> Self {
        with { $0.call.excluded.formUnion(nodes) }
    }

    /// Puts a node of one's own into the chain.
    ///
    /// Of several at one position, the one inserted first sees the request first and the response last.
    /// - Parameters:
    ///   - position: Where, and with which types.
    ///   - make: Makes the node in front of the next one.
    /// - Returns: A changed copy.
    public func insert<Input, Output, Inserted: Node<Input, Output>>(
        at position: Position<Input, Output>,
        _ make: @escaping @Sendable (any Node<Input, Output>) -> Inserted
    ) -> Self {
        with { $0.insertions[keyPath: position.path].append { make($0) } }
    }

    /// Puts a step around the whole chain, whatever its models; the one inserted first is the outermost.
    public func insert(_ layer: some Layer) -> Self {
        with { $0.layers.append(layer) }
    }
}

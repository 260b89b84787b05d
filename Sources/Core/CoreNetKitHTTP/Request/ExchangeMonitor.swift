import CoreNetKitSystem

/// The progress of an exchange: the transport writes it, any code may read it.
///
/// A monitor belongs to one request. When the request is sent again, the progress starts again.
/// ```swift
/// let monitor = ExchangeMonitor()
/// request.monitor = monitor
/// Task { for await state in monitor.updates { show(state.bytesSent, of: state.bytesToSend) } }
/// let response = try await transport.send(request)
/// ```
public final class ExchangeMonitor: Sendable {
    /// A snapshot of an exchange.
    public struct State: Sendable, Hashable {
        /// Bytes of the request's content that the transport has accepted for writing.
        public var bytesSent: Int64 = 0
        /// The length of the request's content, `nil` if unknown.
        public var bytesToSend: Int64?
        /// Bytes of the response's content received over the wire, before decoding.
        public var bytesReceived: Int64 = 0
        /// The length of the response's content on the wire, `nil` while unknown.
        public var bytesExpected: Int64?
        /// Informational responses in their order.
        public var interim: [InterimResponse] = []
        /// Whether the exchange is over.
        public var isEnded = false

        /// Creates the state of an exchange that has not begun.
        public init() {}
    }

    private let feed = StateFeed(State())

    /// Creates a monitor for one request.
    public init() {}

    /// The current state of the exchange.
    public var state: State { feed.value }

    /// The states as they change: always the newest one; states that arrive between two reads are skipped.
    ///
    /// Ends with the exchange, after its last state.
    public var updates: Updates { Updates(monitor: self) }

    /// Changes the state, for transports; `change` runs under a lock, so it must not call other code.
    public func update(_ change: (inout State) -> Void) { feed.change(change) }

    /// The states of an exchange; a slow reader sees only the newest.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let monitor: ExchangeMonitor

        /// Starts with the current state.
        public func makeAsyncIterator() -> Iterator {
            Iterator(monitor: monitor, states: monitor.feed.values.makeAsyncIterator())
        }

        /// Waits for changes.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let monitor: ExchangeMonitor
            fileprivate var states: AsyncStream<State>.Iterator
            fileprivate var last: State?

            /// Waits for the newest state that it has not returned yet; `nil` at the exchange's end or if cancelled.
            public mutating func next() async -> State? {
                // An ended exchange may begin again with another attempt.
                if let last, last.isEnded, last == monitor.state { return nil }
                last = await states.next()
                return last
            }
        }
    }
}

/// An informational response (100...199), received before the final one.
public struct InterimResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The field lines in wire order.
    public var headers: Headers

    /// Creates an informational response.
    public init(status: Int, headers: Headers = [:]) {
        (self.status, self.headers) = (status, headers)
    }
}

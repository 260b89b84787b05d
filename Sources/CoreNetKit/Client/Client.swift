public import CoreNetKitTransport

/// What outlives a call: the transport and the policies that remember, made once and shared by all chains.
public final class Client: Sendable {
    /// Who performs the exchanges.
    public let transport: any Transport
    /// The time that deadlines and waits go by.
    public let clock: CallClock
    /// What is recorded of each call, unless a builder says otherwise; `nil` for nothing.
    public let log: LogConfiguration?

    /// The client of builders that name none: the platform's default transport, and nothing else.
    public static let shared = Client()

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: Who performs the exchanges; `nil` takes the platform's default.
    ///   - clock: The time that deadlines and waits go by.
    ///   - log: What is recorded of each call; `nil` for nothing.
    public init(
        transport: (any Transport)? = nil,
        clock: CallClock = .continuous,
        log: LogConfiguration? = nil
    ) {
        self.transport = transport ?? Self.platformTransport()
        self.clock = clock
        self.log = log
    }
}

public import CoreNetKitEssentials
public import CoreNetKitChain
public import CoreNetKitHTTP

/// The common part of all chains of a server or an app: the transport, the policies, and how requests are made.
///
/// A value with the verbs of a builder; copies share the state that outlives a call: the retry budget, exchanges in
/// flight, the pool of the transport.
///
/// ```swift
/// let client = Client().retry(.standard).limit(perHost: 6)
/// ```
public struct Client: RequestHolder {
    /// Transport, policies, and how calls run.
    public var configuration: ChainConfiguration
    /// How requests are made.
    public var requestSettings = RequestSettings()

    /// The default client of builders: the platform's default transport, and nothing else.
    public static let shared = Client()

    /// Creates a client that follows redirects and treats statuses outside 200...299 as errors.
    ///
    /// - Parameters:
    ///   - transport: The transport; `nil` uses the platform's, shared by all such clients.
    ///   - clock: The clock for deadlines and waits.
    ///   - seed: Makes the random part of waits repeatable, for tests.
    ///   - date: The time of day, for dates from servers and in tokens.
    public init(
        transport: (any Transport)? = nil,
        clock: CallClock = .continuous,
        seed: UInt64? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        configuration = ChainConfiguration(
            transport: transport ?? Self.platformTransport,
            clock: clock,
            date: date,
            seed: seed
        )
        configuration.set(StatusPolicy())
        configuration.set(RedirectPolicy(limit: 10))
    }

    /// The transport that performs the exchanges.
    public var transport: any Transport { configuration.transport }

    /// The clock for deadlines and waits.
    public var clock: CallClock { configuration.parts.clock }
}

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CoreNetKitHTTP

/// What outlives a call: the transport and the policies that remember, made once and shared by all chains.
public final class Client: Sendable {
    /// Who performs the exchanges.
    public let transport: any Transport
    /// The time that deadlines and waits go by.
    public let clock: CallClock
    /// What is recorded of each call, unless a builder says otherwise; `nil` for nothing.
    public let log: LogConfiguration?
    /// What all chains do about failures and load, unless a builder says otherwise.
    public let policies: Policies
    /// How many repetitions all calls may make together.
    public let retryBudget: RetryBudget
    let coalescer = Coalescer()
    let alarm: Alarm
    package let jitter: Jitter
    package let date: @Sendable () -> Date

    /// The client of builders that name none: the platform's default transport, and nothing else.
    public static let shared = Client()

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: Who performs the exchanges; `nil` takes the platform's default.
    ///   - clock: The time that deadlines and waits go by.
    ///   - log: What is recorded of each call; `nil` for nothing.
    ///   - policies: What all chains do about failures and load; nothing by default.
    ///   - retryBudget: How many repetitions all calls may make together.
    ///   - seed: Makes the random part of waits repeatable, for tests.
    ///   - date: The time of day, for dates that servers send and tokens carry.
    public init(
        transport: (any Transport)? = nil,
        clock: CallClock = .continuous,
        log: LogConfiguration? = nil,
        policies: Policies = Policies(),
        retryBudget: RetryBudget = RetryBudget(),
        seed: UInt64? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport ?? Self.platformTransport()
        self.clock = clock
        alarm = Alarm(clock)
        self.log = log
        self.policies = policies
        self.retryBudget = retryBudget
        self.date = date
        jitter = Jitter(seed: seed)
    }

    /// How many calls share an exchange, or could: those that wait in `coalesce`.
    public var callsCoalesced: Int { coalescer.callsWaiting }
}

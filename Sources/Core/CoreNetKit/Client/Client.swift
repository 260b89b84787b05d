public import CoreNetKitChain
public import CoreNetKitEssentials
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
    /// The base is what paths are joined with, see ``RequestHolder/base(_:)``. Without a transport it has the
    /// platform's, which all such clients share. A seed makes the random part of waits repeatable, for tests. The clock
    /// is for deadlines and waits, the date for what servers and tokens say.
    public init(
        base: (any UrlRouteProvider & Sendable)? = nil,
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
        if let base { self = self.base(base) }
    }

    /// The transport that performs the exchanges.
    public var transport: any Transport { configuration.transport }

    /// The clock for deadlines and waits.
    public var clock: CallClock { configuration.parts.clock }
}

// Verbs that create an object with state: only on a client, so that all its chains share it. A builder takes an existing
// object.
extension Client {
    /// Sets what most clients need to withstand a slow or failing server: deadline, limit, breaker and retry.
    ///
    /// The deadline is 60 s, with none for streams and files; at most 6 calls to one host and 64 in total run at once;
    /// each origin has a ``CircuitBreaker``; failed attempts are repeated by ``RetryPolicy/standard`` within the
    /// client's ``RetryBudget``; all are this client's own. Each part replaces the one set before, and can be replaced or
    /// removed afterwards:
    ///
    /// ```swift
    /// let client = Client(base: "https://example.com/api").standard().limit(perHost: 20).without(.breaker)
    /// ```
    public func standard() -> Client {
        changed { $0.options.deadline = .standard }
            .breaker(perOrigin: { CircuitBreaker() }).limit(ConcurrencyLimiter()).retry(.standard)
    }

    /// Rejects calls to a failing server, with a breaker for each origin of the requests' URLs.
    ///
    /// A breaker is made on the first call to its origin, anew for each use of this verb; `without(.breaker)` removes all.
    public func breaker(perOrigin make: @escaping @Sendable () -> CircuitBreaker) -> Client {
        with(OriginBreakers(make))
    }

    /// Limits how many calls run at once, to each host and port and in total, both above zero; the others wait.
    ///
    /// Each use of this verb makes a limiter of its own.
    public func limit(perHost: Int?, total: Int = 64) -> Client {
        limit(ConcurrencyLimiter(total: total, perHost: perHost))
    }

    /// Limits the rate of requests, and how many may be sent at once after a pause; all values are above zero.
    ///
    /// Each use of this verb makes a limiter of its own.
    public func rate(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) -> Client {
        rate(RateLimiter(count, per: period, burst: burst))
    }
}

// The calls with JSON literals as input, whose values may be of different types: ["max": 20, "all": true].
extension Chain where Input == Json {
    /// Calls the chain and waits for its value; a literal may contain values of any kind.
    ///
    /// - Throws: ``NetworkError``, or `CancellationError` when the task was cancelled.
    public func call(_ input: Json) async throws -> Output { try await run(input) }

    /// Starts a call and returns its observer; a literal may contain values of any kind.
    public func observe(_ input: Json) -> Observer<Output> { start(input) }

    /// Calls the chain and waits for its value, exactly like ``call(_:)``, which is the name to prefer.
    public func process(_ input: Json) async throws -> Output { try await run(input) }

    /// Starts a call and returns its observer, exactly like ``observe(_:)``, which is the name to prefer.
    @discardableResult
    public func process(_ input: Json) -> Observer<Output> { start(input) }
}

import TestSupport

/// A transport that responds with a closure and records each request's virtual time.
final class Wire: Transport {
    struct Entry: Sendable {
        let request: TransportRequest
        let time: Duration
    }

    typealias Reply = @Sendable (_ index: Int, _ request: TransportRequest) async throws -> TransportResponse

    let clock: ManualClock
    private let reply: Reply
    private let log = Locked<[Entry]>([])

    var capabilities: TransportCapabilities { [] }
    var entries: [Entry] { log.withLock { $0 } }
    var count: Int { entries.count }
    var times: [Duration] { entries.map(\.time) }
    var authorizations: [String?] { entries.map { $0.request.headers["Authorization"] } }

    init(_ clock: ManualClock = ManualClock(), _ reply: @escaping Reply) {
        self.clock = clock
        self.reply = reply
    }

    /// Responds with the statuses one after another; the last is repeated.
    convenience init(_ clock: ManualClock = ManualClock(), statuses: [Int], headers: Headers = [:]) {
        self.init(clock) { index, request in
            .init(status: statuses[min(index, statuses.count - 1)], headers: headers, url: request.url)
        }
    }

    /// Fails with the error a number of times, then responds with 200.
    convenience init(_ clock: ManualClock = ManualClock(), failing error: TransportError, times: Int = .max) {
        self.init(clock) { index, request in
            if index < times { throw error }
            return .init(status: 200, url: request.url)
        }
    }

    /// Responds with 200 to what the gate lets pass.
    convenience init(_ clock: ManualClock = ManualClock(), behind gate: Gate) {
        self.init(clock) { _, request in
            try await gate.pass()
            return .init(status: 200, url: request.url)
        }
    }

    /// Takes one token.
    convenience init(taking token: String) {
        self.init { _, request in
            .init(status: request.headers["Authorization"] == "Bearer \(token)" ? 200 : 401, url: request.url)
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let index = log.withLock { log in
            log.append(Entry(request: request, time: clock.now.offset))
            return log.count - 1
        }
        return try await reply(index, request)
    }

    func client(
        budget: RetryBudget = RetryBudget(),
        seed: UInt64? = 1,
        start: Date = Date(timeIntervalSince1970: 1_000_000_000)
    ) -> Client {
        let clock = clock
        return Client(
            transport: self,
            clock: CallClock(clock),
            seed: seed,
            date: { start.addingTimeInterval(clock.now.offset / .seconds(1)) }
        )
        .retryBudget(budget)
    }

    /// A call by a client of this wire.
    func chain(
        _ method: HTTPMethod = .get,
        _ url: String = host,
        _ set: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String> = { $0 }
    ) -> Chain<Void, Void> { client().chain(method, url, set) }
}

extension Client {
    func chain(
        _ method: HTTPMethod = .get,
        _ url: String = host,
        _ set: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String> = { $0 }
    ) -> Chain<Void, Void> { set(UrlChainsBuilder(client: self)).route(method, url).build() }
}

extension Chain where Input == Void {
    func start() -> Task<Output, any Error> { Task { try await process() } }
    func start(_ count: Int) -> [Task<Output, any Error>] { (0..<count).map { _ in start() } }

    /// What a call fails with.
    var failure: NetworkError? { get async { await TestSupport.failure { _ = try await process() as Output } } }
}

/// Cancels calls, each of which then ends as cancelled.
func cancel<Value>(_ calls: Task<Value, any Error>..., sourceLocation: SourceLocation = #_sourceLocation) async {
    await cancel(calls, sourceLocation: sourceLocation)
}

func cancel<Value>(_ calls: [Task<Value, any Error>], sourceLocation: SourceLocation = #_sourceLocation) async {
    for call in calls { call.cancel() }
    for call in calls {
        await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await call.value }
    }
}

extension ManualClock {
    /// Runs the work, and advances time to the next sleeper whenever there is one.
    ///
    /// If several tasks work, `sleepers` gives for each step how many of them must sleep first; the last number holds
    /// for all further steps.
    func running<Value: Sendable>(sleepers: [Int] = [1], _ work: () async throws -> Value) async throws -> Value {
        let driver = Task {
            var step = 0
            while true {
                try await waitForSleepers(sleepers[min(step, sleepers.count - 1)])
                try await advanceToNextSleeper()
                step += 1
            }
        }
        defer { driver.cancel() }
        return try await work()
    }

    /// Waits until exactly these sleep, identified by the seconds at which they wake.
    func sleeping(_ seconds: Int...) async {
        await until { sleepers == seconds.map { Instant(offset: .seconds($0)) } }
    }
}

let host = "http://localhost"

extension Date {
    // `Sun, 09 Sep 2001 01:46:40 GMT`
    static let billennium = Date(timeIntervalSince1970: 1_000_000_000)
}

extension TokenRefresher {
    /// One whose token is `a0` and then `a1`, which is saved.
    static func saving(user: String? = nil, _ save: @escaping Save) -> TokenRefresher {
        TokenRefresher(token: AccessToken("a0"), origins: [host], user: user, save: save) { _ in AccessToken("a1") }
    }

    /// Lets tests wait until this many calls wait for the refresh.
    func waiting(_ count: Int) async { await until { callsWaiting == count } }
}

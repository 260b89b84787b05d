import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Limits how many calls run at once, in total and for each host; the others wait for their turn.
///
/// Create one and pass it to a ``Client`` or to builders. A call keeps its place through its attempts and waits, and for
/// a streamed response until the stream has ended or is released. Calls are served first come, first served. Waiting for
/// a place counts toward a call's deadline.
public final class ConcurrencyLimiter: Sendable {
    private typealias State = LimiterState<Waiter<Void>, HostKey>

    private let state: Locked<State>
    private let countsHosts: Bool
    /// What the limit follows; `nil` if it is fixed.
    private let adaptive: Locked<AdaptiveLimit>?
    package let settingsProblem: String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - total: The maximum number of concurrent calls, above zero.
    ///   - perHost: The maximum number of concurrent calls to one host and port, above zero; `nil` limits only the
    ///     total.
    public init(total: Int = 64, perHost: Int? = 6) {
        state = Locked(State(total: total, perHost: perHost))
        countsHosts = perHost != nil
        adaptive = nil
        if total < 1 {
            settingsProblem = "the limit of \(total) calls in total is not above zero"
        } else if let perHost, perHost < 1 {
            settingsProblem = "the limit of \(perHost) calls for each host is not above zero"
        } else {
            settingsProblem = nil
        }
    }

    private init(adaptive: AdaptiveLimit, problem: String?) {
        state = Locked(State(total: adaptive.places, perHost: nil))
        (countsHosts, self.adaptive, settingsProblem) = (false, Locked(adaptive), problem)
    }

    /// Creates a limiter that finds out how many calls its server handles at once.
    ///
    /// The limit begins with 10. It shrinks while calls take longer than at low load or are refused because of load (408,
    /// 425, 429, 503, timeouts), and grows while they do not; from time to time it is halved for a moment to measure the
    /// latency at low load. The latency is that of a whole call with its attempts, to the head of a streamed response. Use
    /// one limiter for each server.
    ///
    /// - Parameters:
    ///   - least: The lowest limit, above zero.
    ///   - most: The highest limit, not below the lowest.
    /// - Returns: A limiter for all its calls, whatever their host.
    public static func adaptive(atLeast least: Int = 1, atMost most: Int = 1000) -> ConcurrencyLimiter {
        let limits = least < 1 ? "is not above zero" : most < least ? "is above the highest of \(most)" : nil
        return ConcurrencyLimiter(
            adaptive: AdaptiveLimit(least: least, most: most),
            problem: limits.map { "the lowest limit of \(least) calls \($0)" }
        )
    }

    /// The number of calls that may run at once; that of an adaptive limiter changes.
    public var total: Int { state.withLock { $0.total } }

    /// The number of running calls.
    public var callsInFlight: Int { state.withLock { $0.taken } }

    /// The number of calls that wait for their turn.
    public var callsWaiting: Int { state.withLock { $0.waiting } }

    /// The places of each host and port, by `host:port`.
    package var hosts: [String: (taken: Int, admitted: Int, waiting: Int)] {
        let balance = state.withLock { $0.balance }
        return Dictionary(uniqueKeysWithValues: balance.map { ("\($0.name):\($0.port)", $1) })
    }

    /// The invariants that are violated now, for tests.
    package var problems: [String] { state.withLock { $0.problems } }

    func host(of request: TransportRequest) -> HostKey {
        guard countsHosts else { return .any }
        let origin = Origin(request.url)
        return HostKey(name: origin.host, port: origin.port)
    }

    /// Takes a place; returns a waiter if none is free.
    func enter(_ host: HostKey) -> Waiter<Void>? { state.withLock { $0.enter(host) { Waiter() } } }

    func wait(_ caller: Waiter<Void>, _ host: HostKey, _ context: RequestContext) async throws {
        do {
            try await context.waiting(for: .init(.concurrency, ahead: max(callsWaiting - 1, 0))) {
                let message = "the deadline passed while the call waited for its turn"
                return try await caller.value(until: context.deadline, on: context.clock) {
                    .failure(NetworkError.queued(.deadlineExceeded, message, node: "LimitNode"))
                }
            }
        } catch {
            admit(state.withLock { $0.leave(caller, host) })
            throw error
        }
    }

    /// When a call was admitted, if its latency counts.
    func start(on clock: CallClock) -> Duration? { adaptive == nil ? nil : clock.now }

    /// Learns from the end of a call that still has its place.
    func add(_ end: AdaptiveLimit.End, since start: Duration?, on clock: CallClock) {
        guard let adaptive, let start else { return }
        let now = clock.now
        let turns = state.withLock { state in
            let total = adaptive.withLock { limit in
                let inFlight = state.taken
                limit.add(end, since: start / .seconds(1), at: now / .seconds(1), inFlight: inFlight)
                return limit.places
            }
            return state.set(total: total)
        }
        admit(turns)
    }

    func release(_ host: HostKey) { admit(state.withLock { $0.release(host) }) }

    private func admit(_ turns: [State.Turn]) {
        var turns = turns[...]
        while let turn = turns.popFirst() {
            guard !turn.caller.resume(.success(())) else { continue }
            // Cancelled at the same moment: its place, one of its host, goes to the next call.
            turns += state.withLock { $0.release(turn.host) }
        }
    }
}

struct HostKey: Hashable, Sendable {
    /// The key that is used if hosts are not distinguished.
    static let any = HostKey(name: "", port: 0)

    let name: String
    let port: Int

    // The name suffices for the hash: hosts with several ports are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

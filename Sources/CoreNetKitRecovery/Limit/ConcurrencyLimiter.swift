import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// How many calls are under way at once, in all and for each host; the others wait for their turn.
///
/// Make one and give it to a ``Client`` or to builders. A call keeps its place through its attempts and waits, and for
/// a streamed response until the stream has ended or is dropped. Who came first goes first. The time that a call waits
/// is part of its deadline.
public final class ConcurrencyLimiter: Sendable {
    private typealias Caller = Waiter<Void>
    private typealias State = LimiterState<Waiter<Void>, HostKey>

    private let state: Locked<State>
    private let countsHosts: Bool
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - total: The most calls at once, above zero.
    ///   - perHost: The most calls at once to one host and port, above zero; `nil` counts them in all only.
    public init(total: Int = 64, perHost: Int? = 6) {
        state = Locked(State(total: total, perHost: perHost))
        countsHosts = perHost != nil
        if total < 1 {
            problem = "the limit of \(total) calls in all is not above zero"
        } else if let perHost, perHost < 1 {
            problem = "the limit of \(perHost) calls for each host is not above zero"
        } else {
            problem = nil
        }
    }

    /// How many calls are under way.
    public var callsInFlight: Int { state.withLock { $0.taken } }

    /// How many calls wait for their turn.
    public var callsWaiting: Int { state.withLock { $0.waiting } }

    /// How the places of each host and port stand, by `host:port`.
    package var hosts: [String: (taken: Int, admitted: Int, waiting: Int)] {
        let balance = state.withLock { $0.balance }
        return Dictionary(
            uniqueKeysWithValues: balance.map { host, places in
                ("\(host.name):\(host.port)", (places.taken, places.admitted, places.waiting))
            }
        )
    }

    /// What does not hold at this moment, for tests.
    package var problems: [String] { state.withLock { $0.problems } }

    func host(of request: TransportRequest) -> HostKey { countsHosts ? HostKey(request.url) : .any }

    /// Takes a place.
    ///
    /// - Returns: Who is to wait for one, `nil` where there is one.
    func enter(_ host: HostKey) -> Waiter<Void>? {
        state.withLock { state -> Caller? in
            var made: Caller?
            let isIn = state.enter(host) {
                let caller = Caller()
                made = caller
                return caller
            }
            return isIn ? nil : made
        }
    }

    /// Waits for a place.
    func wait(_ caller: Waiter<Void>, _ host: HostKey, _ context: RequestContext) async throws {
        do {
            try await context.waiting(for: .init(.place, ahead: max(callsWaiting - 1, 0))) {
                try await caller.value(until: context.deadline, on: context.clock) {
                    var late = NetworkError(
                        .deadlineExceeded,
                        "the deadline passed while the call waited for its turn",
                        node: "LimitNode"
                    )
                    late.phase = .queue
                    return .failure(late)
                }
            }
        } catch {
            admit(state.withLock { $0.leave(caller, host) })
            throw error
        }
    }

    /// Gives a place back.
    func release(_ host: HostKey) {
        admit(state.withLock { $0.release(host) })
    }

    private func admit(_ turns: [State.Turn]) {
        var turns = turns[...]
        while let turn = turns.popFirst() {
            guard !turn.caller.resume(.success(())) else { continue }
            // Gave up at the same moment: the place that it was given, one of its own host, goes on to the next.
            turns += state.withLock { $0.release(turn.host) }
        }
    }
}

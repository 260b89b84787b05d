import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Limits how many calls run at once, in total and for each host; the others wait for their turn.
///
/// Create one and pass it to a ``Client`` or to builders. A call keeps its place through its attempts and waits, and for
/// a streamed response until the stream has ended or is released. Calls are served first come, first served. Waiting for
/// a place counts toward a call's deadline.
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
    ///   - total: The maximum number of concurrent calls, above zero.
    ///   - perHost: The maximum number of concurrent calls to one host and port, above zero; `nil` limits only the
    ///     total.
    public init(total: Int = 64, perHost: Int? = 6) {
        state = Locked(State(total: total, perHost: perHost))
        countsHosts = perHost != nil
        if total < 1 {
            problem = "the limit of \(total) calls in total is not above zero"
        } else if let perHost, perHost < 1 {
            problem = "the limit of \(perHost) calls for each host is not above zero"
        } else {
            problem = nil
        }
    }

    /// The number of running calls.
    public var callsInFlight: Int { state.withLock { $0.taken } }

    /// The number of calls that wait for their turn.
    public var callsWaiting: Int { state.withLock { $0.waiting } }

    /// The places of each host and port, by `host:port`.
    package var hosts: [String: (taken: Int, admitted: Int, waiting: Int)] {
        let balance = state.withLock { $0.balance }
        return Dictionary(
            uniqueKeysWithValues: balance.map { host, places in
                ("\(host.name):\(host.port)", (places.taken, places.admitted, places.waiting))
            }
        )
    }

    /// The invariants that are violated now, for tests.
    package var problems: [String] { state.withLock { $0.problems } }

    func host(of request: TransportRequest) -> HostKey { countsHosts ? HostKey(request.url) : .any }

    /// Takes a place.
    ///
    /// - Returns: A waiter if none is free, otherwise `nil`.
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
                    .failure(
                        NetworkError.queued(
                            .deadlineExceeded,
                            "the deadline passed while the call waited for its turn",
                            node: "LimitNode"
                        )
                    )
                }
            }
        } catch {
            admit(state.withLock { $0.leave(caller, host) })
            throw error
        }
    }

    /// Returns a place.
    func release(_ host: HostKey) {
        admit(state.withLock { $0.release(host) })
    }

    private func admit(_ turns: [State.Turn]) {
        var turns = turns[...]
        while let turn = turns.popFirst() {
            guard !turn.caller.resume(.success(())) else { continue }
            // Cancelled at the same moment: its place, one of its host, goes to the next call.
            turns += state.withLock { $0.release(turn.host) }
        }
    }
}

/// Host and port of a URL.
struct HostKey: Hashable, Sendable {
    /// The key that is used if hosts are not distinguished.
    static let any = HostKey(name: "", port: 0)

    let name: String
    let port: Int

    // The name suffices for the hash: hosts with several ports are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private init(name: String, port: Int) {
        self.name = name
        self.port = port
    }

    init(_ url: URL) {
        let origin = Origin(url)
        self.init(name: origin.host, port: origin.port)
    }
}

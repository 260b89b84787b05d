import TestSupport

@testable import CoreNetKitOutbox

/// A server in memory: it counts its effects, once for each key if it honours keys.
final class TestServer: Sendable {
    struct Request: Sendable, Equatable {
        let method: String
        let url: String
        let body: String
        let key: String?
        let id: UUID
        let time: Duration
    }

    enum Reaction: Sendable {
        case status(Int, Headers = [:])
        /// It is done, and the connection is cut before the response.
        case doneAndCut
        /// The connection is cut before it is done.
        case cut
        case unreachable
    }

    private struct State: Sendable {
        var requests: [Request] = []
        var effects: [String: Int] = [:]
        var inside: Set<UUID> = []
        var overlaps = 0
    }

    private let state = Locked(State())
    private let time: TestTime?
    private let honoursKeys: Bool
    private let react: @Sendable (Request, _ count: Int) -> Reaction

    init(
        time: TestTime? = nil,
        honoursKeys: Bool = true,
        react: @escaping @Sendable (Request, Int) -> Reaction = { _, _ in .status(201) }
    ) {
        (self.time, self.honoursKeys, self.react) = (time, honoursKeys, react)
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var bodies: [String] { requests.map(\.body) }

    var effects: [String: Int] { state.withLock { $0.effects } }

    /// How often an entry was sent while it was already on its way.
    var overlaps: Int { state.withLock { $0.overlaps } }

    func send(_ attempt: DeliveryAttempt) async throws -> TransportResponse {
        let request = Request(
            method: attempt.request.method.rawValue,
            url: attempt.request.url.absoluteString,
            body: String(decoding: attempt.request.body.data ?? Data(), as: UTF8.self),
            key: attempt.request.headers["Idempotency-Key"],
            id: attempt.entry.id,
            time: time?.now ?? .zero
        )
        let count = state.withLock { state in
            state.requests.append(request)
            if !state.inside.insert(request.id).inserted { state.overlaps += 1 }
            return state.requests.count
        }
        await Task.yield()
        defer { _ = state.withLock { $0.inside.remove(request.id) } }
        switch react(request, count) {
        case .status(let status, let headers):
            if 200...299 ~= status { carryOut(request) }
            return TransportResponse(status: status, headers: headers, url: attempt.request.url)
        case .doneAndCut:
            carryOut(request)
            throw TransportError(.connectionLost, phase: .wait, message: "cut")
        case .cut: throw TransportError(.connectionLost, phase: .send, message: "cut")
        case .unreachable: throw TransportError(.cannotConnect, phase: .connect, message: "refused")
        }
    }

    private func carryOut(_ request: Request) {
        state.withLock { state in
            let count = honoursKeys && request.key != nil ? 0 : state.effects[request.body, default: 0]
            state.effects[request.body] = count + 1
        }
    }
}

/// A clock on which sleepers wake at once: waits of hours cost nothing, and are recorded.
final class TestTime: Sendable {
    private struct State: Sendable {
        var now: Duration = .zero
        var reads = 0
        var wall: Double = 1_800_000_000
        var boot: UInt64 = 1
    }

    private let state = Locked(State())
    private let watcher = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls whenever somebody begins to sleep.
    func onSleep(_ watch: (@Sendable () -> Void)?) { watcher.withLock { $0 = watch } }

    var now: Duration { state.withLock { $0.now } }

    /// How often the time was read: each check of a queue does that.
    var reads: Int { state.withLock { $0.reads } }

    var date: Date { state.withLock { Date(timeIntervalSince1970: $0.wall) } }

    func advance(by duration: Duration) {
        state.withLock { state in
            state.now += duration
            state.wall += duration / .seconds(1)
        }
    }

    private var moment: WallMoment {
        let (now, wall, boot) = state.withLock { ($0.now, $0.wall, $0.boot) }
        let milliseconds = Date(timeIntervalSince1970: wall).milliseconds
        return WallMoment(wall: milliseconds, steady: now.wholeMilliseconds, bootID: boot)
    }

    /// Reboots the machine: its clocks start at zero, except the wall clock.
    func reboot() { state.withLock { ($0.now, $0.boot) = (.zero, $0.boot + 1) } }

    func stepWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

    var time: OutboxTime {
        OutboxTime(
            moment: { self.moment },
            monotonic: {
                self.state.withLock { state in
                    state.reads += 1
                    return state.now
                }
            },
            sleep: { until in
                try Task.checkCancellation()
                self.watcher.value?()
                self.advance(by: max(until - self.now, .zero))
            }
        )
    }
}

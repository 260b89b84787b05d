import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// Detects a dead peer by a ping after silence, with one entry in the client's queue of timers and no task; also times pings.
final class LinkKeepAlive: Sendable {
    private struct State {
        /// When the latest byte arrived, or reading resumed.
        var heardAt: Duration
        /// When the ping was sent that is still unanswered.
        var pingSentAt: Duration?
        /// Whether reading is paused because the inbox is full.
        var isResting = false
        /// Called once, when the peer is considered dead.
        var isDead: (@Sendable () -> Void)?
        /// Why no more pings are sent.
        var end: (any Error)?
        var ticket: TimerQueue.TimerID?
        var lastPing: UInt64 = 0
        var pings: [(number: UInt64, at: Duration, waiter: Waiter<Duration>?)] = []
    }

    private let rule: SocketKeepAlive?
    private let clock: CallClock
    private let timers: TimerQueue
    private let state: Locked<State>
    private let send: @Sendable (Data) -> Void
    /// When the last write made progress, and since when bytes have been waiting to be written.
    private let progress: @Sendable () -> (movedAt: Duration?, waitsSince: Duration?)

    init(
        _ rule: SocketKeepAlive?,
        _ parts: ChainParts,
        send: @escaping @Sendable (Data) -> Void,
        progress: @escaping @Sendable () -> (movedAt: Duration?, waitsSince: Duration?)
    ) {
        (self.rule, clock, timers) = (rule, parts.clock, parts.timers)
        (self.send, self.progress) = (send, progress)
        state = Locked(State(heardAt: parts.clock.now))
    }

    deinit { if let ticket = state.withLock({ $0.ticket }) { timers.cancel(ticket) } }

    /// Starts the check; silence counts from now.
    func start(isDead: @escaping @Sendable () -> Void) {
        guard let rule else { return }
        noteReceived()
        state.withLock { $0.isDead = isDead }
        setTimer(at: clock.time(after: rule.interval))
    }

    func noteReceived() {
        let now = clock.now
        state.withLock { ($0.heardAt, $0.pingSentAt) = (now, nil) }
    }

    /// Pauses or resumes the check of incoming bytes, as reading pauses or resumes.
    func setResting(_ isResting: Bool) {
        let now = clock.now
        state.withLock { ($0.isResting, $0.heardAt, $0.pingSentAt) = (isResting, now, nil) }
    }

    func ping() async throws -> Duration {
        let waiter = Waiter<Duration>()
        send(try begin(waiter))
        return try await waiter.value()
    }

    /// Handles a pong, which answers its own ping and all earlier ones; returns the round-trip time of the newest of them.
    func pong(_ content: Data) -> Duration? {
        guard content.count == 8 else { return nil }
        let number = content.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let now = clock.now
        let answered = state.withLock { state in
            let answered = state.pings.filter { $0.number <= number }
            // A number that was never sent belongs to no ping.
            guard answered.last?.number == number else { return Array(answered.prefix(0)) }
            state.pings.removeAll { $0.number <= number }
            return answered
        }
        for ping in answered { ping.waiter?.resume(.success(now - ping.at)) }
        return answered.last.map { now - $0.at }
    }

    func end(_ error: any Error) {
        let (ticket, pings) = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { (state.pings, state.isDead) = ([], nil) }
            return (state.ticket.take(), state.pings)
        }
        if let ticket { timers.cancel(ticket) }
        for ping in pings { ping.waiter?.resume(.failure(error)) }
    }

    private func begin(_ waiter: Waiter<Duration>?) throws -> Data {
        let now = clock.now
        return try state.withLock { state in
            if let end = state.end { throw end }
            state.lastPing += 1
            state.pings.append((state.lastPing, now, waiter))
            // The oldest pings without a pong are forgotten.
            if state.pings.count > 64, let index = state.pings.firstIndex(where: { $0.waiter == nil }) {
                state.pings.remove(at: index)
            }
            return withUnsafeBytes(of: state.lastPing.bigEndian) { Data($0) }
        }
    }

    private func setTimer(at time: Duration) {
        let ticket = timers.set(at: time) { [weak self] in self?.tick() }
        let isOver = state.withLock { state in
            if state.end == nil { state.ticket = ticket }
            return state.end != nil
        }
        if isOver { timers.cancel(ticket) }
    }

    private enum Step { case wait(until: Duration), ping, dead }

    private func tick() {
        guard let rule else { return }
        let now = clock.now
        let (movedAt, waitsSince) = progress()
        let step = state.withLock { state -> Step? in
            state.ticket = nil
            if state.end != nil { return nil }
            if let pingSentAt = state.pingSentAt {
                // The ping may be queued after data that a slow connection is still sending.
                let due = max(pingSentAt, movedAt ?? pingSentAt) + rule.timeout.bounded
                return due <= now ? .dead : .wait(until: due)
            }
            if state.isResting {
                let next = now + rule.interval.bounded
                // Reading is paused: judge the peer by the progress of writes.
                guard let waitsSince else { return .wait(until: next) }
                let due = max(waitsSince, state.heardAt) + rule.interval.bounded + rule.timeout.bounded
                return due <= now ? .dead : .wait(until: min(due, next))
            }
            let due = state.heardAt + rule.interval.bounded
            guard due <= now else { return .wait(until: due) }
            state.pingSentAt = now
            return .ping
        }
        switch step {
        case nil: break
        case .dead: state.withLock({ $0.isDead.take() })?()
        case .wait(let time): setTimer(at: time)
        case .ping:
            if let content = try? begin(nil) { send(content) }
            setTimer(at: now + rule.timeout.bounded)
        }
    }
}

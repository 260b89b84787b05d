import TestSupport

/// A place where tasks wait until the test lets them go on, for good.
final class Gate: Sendable {
    private let state = Locked((isOpen: false, waiting: [Waiter<Void>](), arrivals: 0))

    /// Waits at the gate; a cancelled task does not.
    func pass() async throws {
        let waiter = Waiter<Void>()
        let isOpen = state.withLock { state in
            state.arrivals += 1
            if !state.isOpen { state.waiting.append(waiter) }
            return state.isOpen
        }
        try Task.checkCancellation()
        if !isOpen { try await waiter.value() }
    }

    /// Waits until this many tasks have come, including those that have gone on.
    func arrived(_ count: Int) async { await until { state.withLock(\.arrivals) >= count } }

    /// Lets all tasks go on, now and later.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(.success(())) }
    }
}

extension Recorder {
    /// Records a value if a wait of the wire fails, as it does when its call is cancelled.
    func record(_ value: Value, ifFails wait: () async throws -> Void) async throws {
        do { try await wait() } catch {
            record(value)
            throw error
        }
    }
}

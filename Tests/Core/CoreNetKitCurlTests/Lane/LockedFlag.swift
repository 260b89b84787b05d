#if os(Linux)
    import CoreNetKitSystem
    import Dispatch

    /// Something that happens once and is waited for, by a task or, until it is released, by a thread.
    final class LockedFlag: Sendable {
        private let gate = DispatchSemaphore(value: 0)

        /// Blocks a thread, ten seconds at most, until it is released.
        func hold() { _ = gate.wait(timeout: .now() + 10) }

        func letGo() { gate.signal() }

        private struct State {
            var isRaised = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        func raise() {
            let waiters = state.withLock { state in
                state.isRaised = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func wait() async {
            await withCheckedContinuation { waiter in
                let isRaised = state.withLock { state in
                    if !state.isRaised { state.waiters.append(waiter) }
                    return state.isRaised
                }
                if isRaised { waiter.resume() }
            }
        }
    }
#endif

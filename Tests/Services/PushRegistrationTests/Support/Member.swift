import PushRegistration
import TestSupport

/// A service in memory: what it was told is sent by `sendPending`, which a test may hold up.
final class Member: PushMember {
    struct Locked: Error {}

    private struct State: Sendable {
        var changes: [String: Bool] = [:]
        var registered: Set<String> = []
        var isLocked = false
        var isSettling = true
        var gate: Signal?
    }

    let memberName: String
    private let state = CoreNetKitSystem.Locked(State())
    private let arrivals = Signal()
    private let settled = Signal()

    init(_ name: String) { memberName = name }

    var registered: Set<String> { state.withLock { $0.registered } }

    func set(_ registered: Set<String>) { state.withLock { $0.registered = registered } }

    /// Nothing can be told and, by default, nothing can be sent.
    func set(isLocked: Bool, isSettling: Bool = false) {
        state.withLock { ($0.isLocked, $0.isSettling) = (isLocked, isSettling || !isLocked) }
    }

    /// Holds the next `sendPending` until `release`.
    func hold() { state.withLock { $0.gate = Signal() } }

    /// Returns when a call is held.
    func held() async { await arrivals.wait() }

    func release() { state.withLock { $0.gate.take() }?.signal() }

    func unregister(_ user: String) throws { try tell(user, false) }

    func register(_ user: String) throws { try tell(user, true) }

    private func tell(_ user: String, _ isWanted: Bool) throws {
        try state.withLock { state in
            if state.isLocked { throw Locked() }
            state.changes[user] = isWanted
        }
    }

    func sendPending(_ user: String) async throws {
        let gate = try state.withLock { state -> Signal? in
            guard state.isSettling else { throw Locked() }
            if let isWanted = state.changes[user] {
                if isWanted { state.registered.insert(user) } else { state.registered.remove(user) }
            }
            return state.gate
        }
        settled.signal()
        guard let gate else { return }
        arrivals.signal()
        await gate.wait()
    }

    /// Returns when this many have been settled in total.
    func settled(_ count: Int) async { await settled.wait(count) }
}

/// A store that cannot be read for a while, as before the first unlock.
struct LockableStore: KeyValueStore {
    struct Locked: Error {}

    let inner = InMemoryStore()
    private let isLocked = CoreNetKitSystem.Locked(false)

    var scope: String? { inner.scope }

    func set(isLocked new: Bool) { isLocked.withLock { $0 = new } }

    func string(for key: String) throws -> String? {
        if isLocked.withLock({ $0 }) { throw Locked() }
        return inner.string(for: key)
    }

    func set(_ value: String?, for key: String) throws {
        if isLocked.withLock({ $0 }) { throw Locked() }
        inner.set(value, for: key)
    }
}

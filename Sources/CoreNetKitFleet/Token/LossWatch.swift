import CoreNetKitChain
import CoreNetKitSharedStore
import CoreNetKitSystem

/// Notices that the store may have come back without what it knew, and has the logins of this process tell it again.
///
/// One reader of the store's changes, however many logins there are.
final class LossWatch: Sendable {
    private struct Entry: Sendable {
        weak var login: SharedLogin?
    }

    private struct State: Sendable {
        var reader: Task<Void, Never>?
        var lastLoss: Duration?
        var logins: [SharedKey: [Entry]] = [:]
        /// What is told again, one login after the other: a store that has just come back has enough to do.
        var restoring: Task<Void, Never>?
    }

    private let state = Locked(State())

    deinit { state.withLock { $0.reader }?.cancel() }

    /// When a connection was found to have been lost last.
    var lastLoss: Duration? { state.withLock { $0.lastLoss } }

    /// Listens from now on, for this login as well.
    func begin(_ login: SharedLogin, _ key: SharedKey) {
        state.withLock { state in
            var entries = state.logins[key, default: []]
            if !entries.contains(where: { $0.login === login }) {
                entries.removeAll { $0.login == nil }
                state.logins[key] = entries + [Entry(login: login)]
            }
            guard state.reader == nil else { return }
            let (changes, clock) = (login.store.changes(of: SharedLogin.kind), login.clock)
            state.reader = Task.detached { [weak self] in
                var isFirst = true
                for await change in changes {
                    switch change {
                    // The first one says that changes are reported from now on.
                    case .all:
                        if !isFirst { self?.noteLoss(clock.now) }
                        isFirst = false
                    // A value that was evicted, or one that a process has told again and that is older than ours.
                    case .key(let key): self?.restore([key])
                    }
                }
            }
        }
    }

    /// A login is not there any more.
    func end(_ key: SharedKey) {
        state.withLock { state in
            state.logins[key]?.removeAll { $0.login == nil }
            if state.logins[key]?.isEmpty == true { state.logins[key] = nil }
        }
    }

    private func noteLoss(_ time: Duration) {
        let keys = state.withLock { state in
            state.lastLoss = time
            return Array(state.logins.keys)
        }
        restore(keys)
    }

    private func restore(_ keys: [SharedKey]) {
        state.withLock { state in
            let keys = keys.filter { state.logins[$0] != nil }
            guard !keys.isEmpty else { return }
            let previous = state.restoring
            state.restoring = Task.beside { [weak self] in
                await previous?.value
                for key in keys {
                    for login in self?.logins(key) ?? [] { await login.restore(key) }
                }
            }
        }
    }

    private func logins(_ key: SharedKey) -> [SharedLogin] {
        state.withLock { $0.logins[key]?.compactMap(\.login) ?? [] }
    }
}

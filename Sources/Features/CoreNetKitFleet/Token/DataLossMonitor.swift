import CoreNetKitChain
import CoreNetKitSystem

/// Notices that the store may have lost data, and restores the logins of this process.
///
/// One subscription to the store's changes serves all logins.
final class DataLossMonitor: Sendable {
    private struct Entry: Sendable { weak var login: SharedLogin? }

    private struct State: Sendable {
        var reader: Task<Void, Never>?
        var logins: [SharedKey: [Entry]] = [:]
        /// Keys to restore, one login after the other: a store that has just returned is busy.
        var due: Set<SharedKey> = []
        var isRestoring = false
    }

    private let state = Locked(State())

    deinit { state.withLock { $0.reader }?.cancel() }

    var count: Int { state.withLock { $0.logins.count } }

    func begin(_ login: SharedLogin, _ key: SharedKey) {
        state.withLock { state in
            var entries = state.logins[key, default: []]
            if !entries.contains(where: { $0.login === login }) {
                entries.removeAll { $0.login == nil }
                state.logins[key] = entries + [Entry(login: login)]
            }
            guard state.reader == nil else { return }
            let changes = login.store.changes(of: SharedLogin.kind)
            state.reader = Task.detached { [weak self] in
                var isFirst = true
                for await change in changes {
                    switch change {
                    // The first `.all` only says that the subscription has started.
                    case .all:
                        if !isFirst { self?.noteLoss() }
                        isFirst = false
                    // The value was evicted, or another process restored one that is older than ours.
                    case .key(let key): self?.restore([key])
                    }
                }
                if !Task.isCancelled { self?.noteMissingChanges() }
            }
        }
    }

    /// Stops watching a login that has another user or no longer exists.
    func end(_ login: SharedLogin?, _ key: SharedKey) {
        state.withLock { state in
            state.logins[key]?.removeAll { $0.login == nil || $0.login === login }
            if state.logins[key]?.isEmpty == true { state.logins[key] = nil }
        }
    }

    private func noteLoss() {
        let (keys, entries) = state.withLock { (Array($0.logins.keys), $0.logins.values.flatMap { $0 }) }
        for entry in entries { entry.login?.noteLoss() }
        restore(keys)
    }

    /// The store reports no changes, for lack of permission, so later losses go unnoticed.
    private func noteMissingChanges() {
        let login = state.withLock { $0.logins.values.lazy.flatMap { $0 }.compactMap(\.login).first }
        login?.note(.fallback, "the store does not report changes, so it is not told again what it may lose")
    }

    private func restore(_ keys: [SharedKey]) {
        let begins = state.withLock { state in
            state.due.formUnion(keys.filter { state.logins[$0] != nil })
            guard !state.due.isEmpty, !state.isRestoring else { return false }
            state.isRestoring = true
            return true
        }
        guard begins else { return }
        Task.apart { [weak self] in
            while let key = self?.nextDue() {
                for login in self?.logins(key) ?? [] { await login.restore(key) }
            }
        }
    }

    private func nextDue() -> SharedKey? {
        state.withLock { state in
            let key = state.due.popFirst()
            state.isRestoring = key != nil
            return key
        }
    }

    private func logins(_ key: SharedKey) -> [SharedLogin] {
        state.withLock { $0.logins[key]?.compactMap(\.login) ?? [] }
    }
}

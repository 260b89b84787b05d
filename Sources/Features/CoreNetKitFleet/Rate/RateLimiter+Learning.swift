import CoreNetKitEssentials
public import CoreNetKitHTTP
public import CoreNetKitRecovery
import CoreNetKitSystem

extension RateLimiter {
    /// Creates a limiter that learns the rate from the server's responses, together with other processes.
    ///
    /// What `learning(by:)` says of one process holds for all together: the store has what they have sent, what is
    /// left and when the quota is restored. A process takes permits for its waiting requests while much of a quota is
    /// left, and then for 10 ms. While the store is unavailable, each process goes by the responses that it gets, and
    /// asks again after a second.
    ///
    /// - Parameters:
    ///   - route: Names the route of a request, as in `learning(by:)`; the same in each process.
    ///   - name: Distinguishes this rate from others in the store, the same in each process, such as
    ///     `api.example.com`; not empty. Origins, users and routes have quotas of their own.
    ///   - store: Where quotas are stored.
    ///   - events: Called when the store is unavailable; must return quickly.
    /// - Returns: A limiter that sends freely until the first response to this process.
    public static func learning(
        by route: (@Sendable (TransportRequest) -> String)? = nil,
        named name: String,
        in store: any SharedStore,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) -> RateLimiter { learning(by: route, sharing: StoredQuotas(name, store, events)) }
}

/// Learned quotas in a store.
final class StoredQuotas: QuotaSharing {
    let problem: String?
    private let name: String
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    private let isUnavailable = Locked(false)

    init(_ name: String, _ store: any SharedStore, _ events: @escaping @Sendable (FleetEvent) -> Void) {
        (self.name, self.store, self.events) = (name, store, events)
        problem = name.isEmpty ? "a shared rate needs a name, as in 'api.example.com'" : nil
    }

    func update(_ quota: String, _ change: @Sendable (SharedQuota?) -> QuotaChange) async -> QuotaChange? {
        let key = SharedKey(kind: "quota", parts: [name, quota])
        do throws(SharedStoreError) {
            // A store on which another process is faster each time is broken.
            for _ in 0..<100 {
                let value = try await store.read(key)
                let stored = value.flatMap { SharedQuota(String(decoding: $0.bytes, as: UTF8.self)) }
                let change = change(stored)
                let life = min(change.quota.wait, .seconds(30 * 86_400)) + .seconds(86_400)
                let bytes = Data(change.quota.text.utf8)
                if change.quota != stored {
                    // If another process was faster, its change is read first.
                    let version = try await store.write(key, bytes, over: value?.version ?? 0, for: life)
                    guard version != nil else { continue }
                }
                isUnavailable.withLock { $0 = false }
                return change
            }
        } catch {
            let isNew = isUnavailable.withLock { isUnavailable in
                defer { isUnavailable = true }
                return !isUnavailable
            }
            let message = "the rate '\(name)' is what this process learns alone"
            if isNew { events(FleetEvent(.rate, .fallback, message, cause: error)) }
        }
        return nil
    }
}

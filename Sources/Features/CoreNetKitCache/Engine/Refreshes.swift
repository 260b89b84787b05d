import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// When a fresh response is validated early, so that callers do not all wait at its end (XFetch).
///
/// Each hit draws a number: its logarithm, multiplied by the server's response time and a factor, is an exponentially
/// distributed lead time.
/// - SeeAlso: Vattani, Chierichetti, Lowenstein: Optimal Probabilistic Cache Stampede Prevention (VLDB 2015)
package struct EarlyRefresh: Sendable {
    private let factor: Double
    private let draw: @Sendable () -> Double

    /// Creates a rule; a factor of zero, or an invalid one, means never, and numbers are drawn from 0..<1.
    package init(_ factor: Double, draw: (@Sendable () -> Double)? = nil) {
        self.factor = factor > 0 && factor.isFinite ? factor : 0
        self.draw = draw ?? { [jitter = Jitter(seed: nil)] in jitter.next() }
    }

    package var isOn: Bool { factor > 0 }

    package func isDue(_ finding: CacheFinding) -> Bool {
        guard case .use = finding.decision.action, let variant = finding.usedVariant,
            !(variant.facts.control.immutable && finding.key.isSecure), let age = finding.decision.age,
            let lifetime = finding.decision.lifetime
        else { return false }
        let took = max(variant.responseTime.elapsed(since: variant.requestTime) ?? 0, 1)
        return isDue(left: lifetime - age, took: took)
    }

    /// Whether the lead time of a draw reaches the end of freshness, by the milliseconds left and those that the server took.
    package func isDue(left: Int64, took: Int64) -> Bool { -Double(took) * factor * log(1 - draw()) >= Double(left) }
}

/// Validations in the background, shared by the calls of a client: one per key, eight at once, none after the end.
///
/// Further ones are skipped, because the next use tries again.
package final class BackgroundRefreshes: ChainParts.Stoppable {
    private let state = Locked((running: [CacheKey: Task<Void, Never>](), isEnded: false))

    package init() {}

    /// Starts work for a key, unless some is running; returns whether it was started.
    @discardableResult
    package func start(_ key: CacheKey, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isEnded, state.running[key] == nil, state.running.count < 8 else { return false }
            // The task cannot end before it is in the table: its end takes the same lock.
            state.running[key] = Task {
                await CallDeadline.outside(work)
                self.state.withLock { _ = $0.running.removeValue(forKey: key) }
            }
            return true
        }
    }

    package func idle() async {
        while let task = state.withLock({ $0.running.values.first }) { await task.value }
    }

    package func end() {
        let running = state.withLock { state in
            state.isEnded = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }

    package func shutDown() async {
        end()
        await idle()
    }
}

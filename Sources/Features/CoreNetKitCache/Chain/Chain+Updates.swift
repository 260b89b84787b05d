public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

extension Chain {
    /// Returns the stored response at once, even if it is stale, and then the response of the network.
    ///
    /// The second value is omitted if the server confirmed the first one or sent the same bytes. A failure after the
    /// first value is delivered together with it; a failure before any value is thrown. The calls end when the sequence
    /// is no longer read.
    public func updates(_ input: Input) -> AsyncThrowingStream<CacheUpdate<Output>, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await run(input) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func run(_ input: Input, _ show: (CacheUpdate<Output>) -> Void) async throws {
        let local = Locked(CacheCall(mode: .only, keepsBytes: true))
        // If the cache fails to respond for any reason, the network is asked anyway.
        let shown = try? await CacheCall.$current.withValue(local) { try await process(input) as Output }
        try Task.checkCancellation()
        let first = local.value
        let isStored = shown != nil && first.outcome != nil
        if let shown, isStored { show(CacheUpdate(shown, first.outcome)) }
        let full = Locked(CacheCall(keepsBytes: true))
        do {
            let value = try await CacheCall.$current.withValue(full) { try await process(input) as Output }
            let second = full.value
            let isSame = second.outcome?.isFromCache == true || (first.bytes != nil && first.bytes == second.bytes)
            if isStored && isSame && !(second.outcome?.isStale ?? false) { return }
            show(CacheUpdate(value, second.outcome))
        } catch {
            guard let shown, isStored, !(error is CancellationError) else { throw error }
            show(CacheUpdate(shown, first.outcome, error))
        }
    }
}

extension Chain where Input == Void {
    /// Returns the stored response at once, and then the response of the network: see ``Chain/updates(_:)``.
    public func updates() -> AsyncThrowingStream<CacheUpdate<Output>, any Error> { updates(()) }
}

/// A value to show for a resource that is read first from the cache and then from the network.
public struct CacheUpdate<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// Whether it may be outdated.
    public let isStale: Bool
    /// Why there is no newer value; then the value is the one that was shown before.
    public let error: (any Error)?
    /// What the cache did for it.
    public let outcome: CacheOutcome?

    init(_ value: Value, _ outcome: CacheOutcome?, _ error: (any Error)? = nil) {
        (self.value, self.outcome, self.error) = (value, outcome, error)
        isStale = error != nil || outcome?.isStale ?? false
    }
}

import CoreNetKitHTTP
import CoreNetKitSystem

extension Observer {
    /// The last outcome, or the next one if there is none yet.
    ///
    /// Does not need the delivery queue. Cancelling the waiting task cancels the call.
    ///
    /// - Throws: The error of the outcome, or `CancellationError` when the call is cancelled.
    public var value: Model {
        get async throws {
            // A context must outlive the wait, because its deinit cancels the call.
            let keeper: AnyObject = self
            defer { withExtendedLifetime(keeper) {} }
            return try await core.nextOutcome().get()
        }
    }
}

extension ObserverCore {
    /// The last outcome, or the next one; cancelling the waiting task cancels the call.
    ///
    /// Not generic, like all internal parts: an `ObserverOutcome` needs no metadata look-up.
    fileprivate func nextOutcome() async -> ObserverOutcome {
        if let outcome = takeCurrentOutcome() { return outcome }
        return await withTaskCancellationHandler {
            // Resumed exactly once: a relay always gets the end, and the lock releases the continuation only once.
            await withUnsafeContinuation { continuation in
                let waiting = Locked<UnsafeContinuation<ObserverOutcome, Never>?>(continuation)
                relay { event in
                    guard let continuation = waiting.withLock({ $0.take() }) else { return false }
                    switch event {
                    case .outcome(let outcome, _): continuation.resume(returning: outcome)
                    case .finished, .canceled: continuation.resume(returning: .failure(CancellationError()))
                    }
                    return false
                }
            }
        } onCancel: {
            cancel()
        }
    }
}

import CoreNetKitHTTP
import CoreNetKitSystem

extension Observer {
    /// The last outcome, or the next one if there is none yet.
    ///
    /// Does not need the delivery queue. Cancelling the task that waits here cancels the call.
    ///
    /// - Throws: The error of the outcome, or `CancellationError` when the call is cancelled.
    public var value: Model {
        get async throws {
            // A context must outlive the wait: its end would cancel the call.
            defer { withExtendedLifetime(self) {} }
            if let outcome = core.reach() { return try outcome.get() }
            return try await withTaskCancellationHandler {
                // Resumed once: a relay is told of the end at last, and the lock gives the continuation away once.
                try await withUnsafeThrowingContinuation { continuation in
                    let waiting = Locked<UnsafeContinuation<Model, any Error>?>(continuation)
                    core.relay { event in
                        guard let continuation = waiting.withLock({ $0.take() }) else { return false }
                        switch event {
                        case .outcome(let outcome, _): continuation.resume(with: outcome.result())
                        case .finished, .canceled: continuation.resume(throwing: CancellationError())
                        }
                        return false
                    }
                }
            } onCancel: {
                core.cancel()
            }
        }
    }
}

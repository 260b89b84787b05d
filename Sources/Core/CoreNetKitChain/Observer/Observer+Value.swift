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
    /// The last outcome, or the next one; not generic, because an `ObserverOutcome` needs no metadata look-up.
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
                    case .finished, .cancelled: continuation.resume(returning: .failure(CancellationError()))
                    }
                    return false
                }
            }
        } onCancel: {
            cancel()
        }
    }
}

extension Observer {
    /// All outcomes: the last one if there is one, and all later ones.
    public var outcomes: Outcomes { Outcomes(observer: self) }

    /// The outcomes of an observer, one after another.
    ///
    /// Starts with the last outcome if there is one, and ends when the source has ended or is cancelled. Does not need
    /// the delivery queue. Cancelling the waiting task cancels the call; leaving the loop does not.
    public struct Outcomes: AsyncSequence, Sendable {
        /// A model, or the error of the call.
        public typealias Element = Result<Model, any Error>

        fileprivate let observer: Observer<Model>

        /// Starts listening.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
            observer.core.relay { event in
                switch event {
                case .outcome(let outcome, let isLast):
                    if case .terminated = continuation.yield(outcome.result()) { return false }
                    if isLast { continuation.finish() }
                    return !isLast
                case .finished, .cancelled:
                    continuation.finish()
                    return false
                }
            }
            return Iterator(observer: observer, stream: stream.makeAsyncIterator())
        }

        /// Waits for one outcome after another.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let observer: Observer<Model>
            fileprivate var stream: AsyncStream<Element>.Iterator

            /// Waits for the next outcome; `nil` at the end or after a cancellation.
            public mutating func next() async -> Element? { await next(isolation: nil) }

            /// Waits for the next outcome on the actor of the caller; `nil` at the end or after a cancellation.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                await withTaskCancellationHandler {
                    await stream.next(isolation: actor)
                } onCancel: { [core = observer.core] in
                    core.cancel()
                }
            }
        }
    }
}

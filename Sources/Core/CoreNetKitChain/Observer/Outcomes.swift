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
        ///
        /// - Returns: An iterator over the last outcome and all that follow.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
            observer.core.relay { event in
                switch event {
                case .outcome(let outcome, let isLast):
                    if case .terminated = continuation.yield(outcome.result()) { return false }
                    if isLast { continuation.finish() }
                    return !isLast
                case .finished, .canceled:
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

            /// Waits for the next outcome.
            ///
            /// - Returns: The outcome, or `nil` at the end or after a cancellation.
            public mutating func next() async -> Element? {
                await next(isolation: nil)
            }

            /// Waits for the next outcome on the actor of the caller.
            ///
            /// - Parameter actor: The actor of the caller.
            /// - Returns: The outcome, or `nil` at the end or after a cancellation.
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

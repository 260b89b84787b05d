import CoreNetKitChain

/// One stream of messages with an id.
final class SocketCallStream<In: Sendable, Out: Sendable>: Sendable {
    let message: Out
    let leaving: Out?
    let resumes: Bool
    let continuation: AsyncThrowingStream<In, any Error>.Continuation
    private let isLast: @Sendable (In) -> Bool

    init(
        _ message: Out,
        _ leaving: Out?,
        resumes: Bool,
        _ continuation: AsyncThrowingStream<In, any Error>.Continuation,
        _ isLast: @escaping @Sendable (In) -> Bool
    ) {
        (self.message, self.leaving, self.resumes) = (message, leaving, resumes)
        (self.continuation, self.isLast) = (continuation, isLast)
    }

    /// Takes a message.
    ///
    /// - Returns: Whether it was the last, or one too many.
    func take(_ message: In, node: NodeID) -> Bool {
        if case .dropped = continuation.yield(message) {
            let words = "too many messages wait for their reader; read faster, or raise `ahead`"
            continuation.finish(throwing: NetworkError(.responseTooLarge, words, node: node))
            return true
        }
        guard isLast(message) else { return false }
        continuation.finish()
        return true
    }
}

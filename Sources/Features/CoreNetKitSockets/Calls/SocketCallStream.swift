import CoreNetKitChain
import CoreNetKitSystem

/// The messages with one id, as a stream.
final class SocketCallStream<In: Sendable>: Sendable {
    private struct State: Sendable {
        /// The connection over which the request was last sent.
        weak var link: SocketLink?
        var isAsking = false
        var isUnsubscribed = false
        /// Whether the stream has ended, by its last message or by a failure: there is nothing left to cancel.
        var isOver = false
    }

    let resumes: Bool
    private let message: SocketMessage
    private let leaving: SocketMessage?
    private let continuation: AsyncThrowingStream<In, any Error>.Continuation
    private let isLast: @Sendable (In) -> Bool
    private let state = Locked(State())

    init(
        _ message: SocketMessage,
        _ leaving: SocketMessage?,
        resumes: Bool,
        _ continuation: AsyncThrowingStream<In, any Error>.Continuation,
        _ isLast: @escaping @Sendable (In) -> Bool
    ) {
        (self.message, self.leaving, self.resumes) = (message, leaving, resumes)
        (self.continuation, self.isLast) = (continuation, isLast)
    }

    /// Delivers a message to the reader; returns whether it was the last one, or exceeded the limit.
    func take(_ message: In, node: NodeID) -> Bool {
        if case .dropped = continuation.yield(message) {
            let words = "too many messages wait for their reader; read faster, or raise `ahead`"
            continuation.finish(throwing: NetworkError(.responseTooLarge, words, node: node))
            return true
        }
        guard isLast(message) else { return false }
        state.withLock { $0.isOver = true }
        continuation.finish()
        return true
    }

    /// Sends the request over a connection, once per connection.
    func sendRequest(over link: SocketLink) async {
        let isFirst = state.withLock { state in
            guard !state.isUnsubscribed, !state.isOver, state.link !== link else { return false }
            (state.link, state.isAsking) = (link, true)
            return true
        }
        guard isFirst else { return }
        do { try await link.send(message) } catch {
            // When the connection has ended, the next one gets the request, or the end of the socket ends this stream too.
            if !resumes || (error as? NetworkError)?.code == .userChanged { fail(error) }
        }
        let isUnsubscribed = state.withLock { state in
            guard state.link === link else { return false }
            state.isAsking = false
            return state.isUnsubscribed && !state.isOver
        }
        if isUnsubscribed, let leaving { try? await link.send(leaving) }
    }

    func fail(_ error: any Error) {
        state.withLock { $0.isOver = true }
        continuation.finish(throwing: error)
    }

    /// Called when the reader stops: sends `leaving`, always after the request.
    func unsubscribe() {
        let link = state.withLock { state -> SocketLink? in
            state.isUnsubscribed = true
            return state.isOver || state.isAsking ? nil : state.link
        }
        guard let leaving, let link else { return }
        Task.startImmediately { try? await link.send(leaving) }
    }
}

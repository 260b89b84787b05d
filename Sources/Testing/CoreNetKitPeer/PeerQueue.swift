import CoreNetKitSystem

/// A queue for one reader; reading waits while it is empty.
package final class PeerQueue<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var elements: [Element] = []
        var end: Result<Void, any Error>?
        var lastKey = 0
        var waiting: (key: Int, continuation: CheckedContinuation<Element?, any Error>)?
    }

    private let state = Locked(State())

    package init() {}

    /// Adds an element; after the end it is dropped.
    package func add(_ element: Element) {
        let waiting = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting.take() { return waiting.continuation }
            state.elements.append(element)
            return nil
        }
        waiting?.resume(returning: element)
    }

    /// Ends the queue after its elements; the first end counts.
    package func end(_ result: Result<Void, any Error> = .success(())) {
        let waiting = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            if state.end == nil { state.end = result }
            return state.waiting.take()?.continuation
        }
        waiting?.resume(with: result.map { nil })
    }

    /// Waits for the next element.
    ///
    /// - Returns: The element, `nil` at the end.
    /// - Throws: The error of the end; `CancellationError`, and then no element is lost.
    package func next() async throws -> Element? {
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let found = state.withLock { state -> Result<Element?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.elements.isEmpty { return .success(state.elements.removeFirst()) }
                    if let end = state.end { return end.map { nil } }
                    state.waiting = (key, continuation)
                    return nil
                }
                if let found { continuation.resume(with: found) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting?.key == key ? state.waiting.take()?.continuation : nil
            }
            waiting?.resume(throwing: CancellationError())
        }
    }
}

/// A queue for one reader; reading waits while it is empty.
package struct ReaderQueue<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var elements = Fifo<Element>()
        var end: Result<Void, any Error>?
        var reader: Waiter<Element?>?
    }

    private let state = Locked(State())

    package init() {}

    /// Whether reading would wait.
    package var isEmpty: Bool { state.withLock { $0.elements.isEmpty && $0.end == nil } }

    /// Adds an element; after the end it is dropped.
    package func add(_ element: Element) {
        // A reader that was cancelled leaves the element to the next one.
        while let reader = keep(element), !reader.resume(.success(element)) {}
    }

    /// Keeps an element unless a reader waits for it.
    private func keep(_ element: Element) -> Waiter<Element?>? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.elements.append(element)
            return nil
        }
    }

    /// Ends the queue after its elements; the first end counts.
    package func end(_ result: Result<Void, any Error> = .success(())) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = result }
            return state.reader.take()
        }
        reader?.resume(result.map { nil })
    }

    /// Waits for the next element, `nil` at the end; one that is already there is returned to a cancelled task, too.
    package func next() async throws -> Element? {
        let reader = Waiter<Element?>()
        state.withLock { state in
            if let element = state.elements.popFirst() {
                reader.resume(.success(element))
            } else if Task.isCancelled {
                reader.resume(.failure(CancellationError()))
            } else if let end = state.end {
                reader.resume(end.map { nil })
            } else {
                state.reader = reader
            }
        }
        return try await reader.value()
    }
}

/// Yields to other tasks until a condition holds; a test that is out of time goes on, and fails on what it finds.
package func until(_ holds: () -> Bool) async {
    while !holds(), !Task.isCancelled { await Task.yield() }
}

/// What a step ended with: its error, or `nil`.
package func failure(of step: () async throws -> Void) async -> NetworkError? {
    await failure(NetworkError.self, of: step)
}

/// What a step ended with: its error, if it is of this type, or `nil`.
package func failure<Failure: Error>(_ type: Failure.Type, of step: () async throws -> Void) async -> Failure? {
    do {
        try await step()
        return nil
    } catch {
        return error as? Failure
    }
}

/// What a step ended with: its error of the transport, or `nil`; others are thrown.
package func transportError(_ step: () async throws -> Void) async throws -> TransportError? {
    do {
        try await step()
        return nil
    } catch let error as TransportError {
        return error
    }
}

extension Task {
    /// Cancels it, and waits for its end.
    package func cancelAndWait() async {
        cancel()
        _ = await result
    }
}

extension Locked where State == Int {
    /// Counts one more, and returns how many there are.
    package func next() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

extension ManualClock {
    /// Lets the time pass whenever somebody waits, until the body has ended; no timer may run that must not expire.
    package func passing<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let time = Task { while !Task.isCancelled { try await advanceToNextSleeper() } }
        defer { time.cancel() }
        return try await body()
    }
}

extension TransportResponse {
    /// The content that is to be a stream.
    package func stream() throws -> ResponseStream {
        guard case .stream(let stream) = body else { throw CocoaError(.coderInvalidValue) }
        return stream
    }
}

extension AsyncSequence {
    /// All elements.
    package func collect() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}

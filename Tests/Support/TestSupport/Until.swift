/// Yields to other tasks until a condition holds; a test that is out of time goes on, and fails on what it finds.
package func until(_ holds: () -> Bool) async {
    while !holds(), !Task.isCancelled { await Task.yield() }
}

/// What a step ended with: its error, or `nil`.
package func failure(of step: () async throws -> Void) async -> NetworkError? {
    do {
        try await step()
        return nil
    } catch {
        return error as? NetworkError
    }
}

extension Locked where State == Int {
    /// Counts one more.
    ///
    /// - Returns: How many there are.
    package func next() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

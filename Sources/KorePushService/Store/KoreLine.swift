/// Runs steps one after another, in the order in which they were handed in.
final class KoreLine: Sendable {
    private let turns: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (stream, turns) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
        self.turns = turns
        Task {
            for await turn in stream { await turn() }
        }
    }

    deinit { turns.finish() }

    /// Runs a step in its turn; a task that is cancelled before gives its turn up.
    func run<Value: Sendable>(_ step: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        let (signal, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in signal { break }
            try Task.checkCancellation()
            return try await step()
        }
        turns.yield {
            start.yield()
            _ = await task.result
        }
        return task
    }
}

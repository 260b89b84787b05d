import CoreNetKitHTTP
import CoreNetKitSystem

/// Locked state with waiting: each change wakes the tasks whose condition has become true.
///
/// Continuations are resumed outside the lock. Conditions run under it, so they must not be user code.
final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
        let id: UInt64
        let isMet: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Content {
        var state: State
        var waiters: [Waiter] = []
        var lastID: UInt64 = 0

        mutating func takeMet() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            let met = waiters.filter { $0.isMet(state) }
            if !met.isEmpty {
                let ids = Set(met.map(\.id))
                waiters.removeAll { ids.contains($0.id) }
            }
            return met
        }
    }

    private let content: Locked<Content>

    init(_ state: State) { content = Locked(Content(state: state)) }

    var value: State { content.withLock { $0.state } }

    func read<Result: Sendable>(_ body: (State) -> Result) -> Result { content.withLock { body($0.state) } }

    /// Changes the state, then wakes the tasks that waited for the change.
    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, met) = content.withLock { content in
            let result = body(&content.state)
            return (result, content.takeMet())
        }
        for waiter in met { waiter.continuation.resume() }
        return result
    }

    /// Waits for a condition.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws {
        let id = content.withLock { content in
            content.lastID += 1
            return content.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = content.withLock { content in
                    // The handler below may have run already; then the task is cancelled.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if isMet(content.state) { return .success(()) }
                    content.waiters.append(Waiter(id: id, isMet: isMet, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = content.withLock { content in
                content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}

package import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem

/// A call's position in the order in which results are delivered: the order in which the requests were sent.
///
/// Without it a later call might deliver its result first, because each call runs in its own task.
package final class DeliveryPosition: Sendable {
    @TaskLocal package static var current: DeliveryPosition?

    private let state = Locked((isTaken: false, earlier: DeliveryPosition?.none))
    private let delivered = Waiter<Void>()

    package init() {}

    /// Takes the position after the last one, when its call sends for the first time.
    package func follow(_ last: inout DeliveryPosition?) {
        let previous = last
        let begins = state.withLock { state in
            guard !state.isTaken else { return false }
            state = (true, previous)
            return true
        }
        if begins { last = self }
    }

    /// Runs work, and delivers its result after the one before it; a cancelled call does not wait for that.
    ///
    /// The wait happens outside the serial queue, so the earlier call can proceed.
    package func run<Value: Sendable>(
        _ work: @Sendable () async throws -> Value,
        deliver: (Result<Value, any Error>) -> Void
    ) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await DeliveryPosition.$current.withValue(self) { try await work() })
        } catch {
            result = .failure(error)
        }
        let earlier = state.withLock { state in
            defer { state = (true, nil) }
            return state.earlier
        }
        if let earlier { try? await earlier.delivered.value() }
        deliver(result)
        delivered.resume(.success(()))
    }
}

extension Observer {
    /// Runs work in its own task; the observer ends with it, and cancelling the observer cancels the task.
    ///
    /// Results of calls that use a `PushRegistrar` are delivered in the order in which it sent their requests.
    package static func work(_ body: @escaping @Sendable () async throws -> Model) -> Observer<Model> {
        let running = Locked<Task<Void, Never>?>(nil)
        let context = Context<Model>(onCancel: { running.withLock { $0 }?.cancel() })
        let task = Task.detached(priority: .userInitiated) {
            await DeliveryPosition().run(body) { context.complete($0) }
        }
        running.withLock { $0 = task }
        return context
    }
}

extension Client {
    /// Logs a failure that no chain has logged, because nothing was sent.
    package func log(unsent error: any Error, of service: NodeID) {
        guard let log = configuration.log else { return }
        Observer<Void>.emit(error: error).log(service, to: log.sink)
    }
}

/// A queue that admits one caller at a time, in the order of arrival; a cancelled caller leaves it at once.
package final class SerialQueue: Sendable {
    private let state = Locked((isTaken: false, queue: WaitQueue<Waiter<Void>>()))

    package init() {}

    package func run<Result: Sendable>(_ step: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { admitNext() }
        try Task.checkCancellation()
        return try await step()
    }

    private func enter() async throws {
        let caller = Waiter<Void>()
        let isFirst = state.withLock { state in
            if state.isTaken { state.queue.append(caller) }
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if isFirst { return }
        do {
            try await caller.value()
        } catch {
            state.withLock { _ = $0.queue.remove(caller) }
            throw error
        }
    }

    private func admitNext() {
        // A caller that was cancelled lets the next one in.
        while let next = next(), !next.resume(.success(())) {}
    }

    private func next() -> Waiter<Void>? {
        state.withLock { state in
            let next = state.queue.popFirst()
            state.isTaken = next != nil
            return next
        }
    }
}

import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

final class Coalescer: SessionDataOwner {
    struct Key: Hashable, Sendable {
        let method: HTTPMethod
        let url: URL
        let fields: [Headers.Field]
        let delivery: ResponseDelivery
        /// The token and the transport, which are not part of a request.
        let scope: [ObjectIdentifier]
        let session: Partition.Session
        /// The identity of the call's user, if the fields do not contain all of it.
        let caller: CallIdentity?

        // The URL distinguishes most keys; hashing the other fields only costs time.
        func hash(into hasher: inout Hasher) { hasher.combine(url) }
    }

    private typealias Caller = Waiter<TransportResponse>
    private typealias Outcome = Result<TransportResponse, any Error>

    // Sendable because it is accessed only under the lock of the coalescer.
    private final class SharedExchange: @unchecked Sendable {
        var callers = WaitQueue<Caller>()
        /// The number of the call that began it.
        let call: UInt64
        /// The exchange; set as soon as the first caller waits.
        var task: Task<Outcome, Never>?
        var isOver = false
        /// The session has ended: no caller gets the response.
        var isEnded = false

        init(call: UInt64) { self.call = call }
    }

    private let exchanges = Locked<[Key: SharedExchange]>([:])

    var kind: SignOut.Kind { .exchanges }
    var callsWaiting: Int { exchanges.withLock { $0.values.reduce(0) { $0 + $1.callers.count } } }

    /// Returns the response of the key's exchange: the running one, or a new one.
    ///
    /// `joins` is called with the number of the leading call if the exchange belongs to another caller, and wraps the
    /// wait for it; `begin` is called before a new exchange begins, and returns the work that performs it.
    func response(
        _ key: Key,
        of call: UInt64,
        joins: (Waiter<TransportResponse>, UInt64) async throws -> TransportResponse,
        begin: () -> @Sendable () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        let (shared, joined) = exchanges.withLock { Self.join(&$0[key], call) }
        let caller: Caller
        if let joined {
            caller = joined
        } else {
            let exchange = begin()
            let task = Task.startImmediately { [self] in
                let outcome = await CallDeadline.outside { () async -> Outcome in
                    do { return .success(try await exchange()) } catch { return .failure(error) }
                }
                complete(shared, key, outcome)
                return outcome
            }
            guard let waiting = wait(for: shared, task) else {
                if exchanges.withLock({ _ in shared.isEnded }) {
                    task.cancel()
                    throw Self.ended
                }
                return try await task.value.get()
            }
            caller = waiting
        }
        do {
            return try await joined == nil ? caller.value() : joins(caller, shared.call)
        } catch {
            leave(shared, key, caller)
            throw error
        }
    }

    private static func join(_ entry: inout SharedExchange?, _ call: UInt64) -> (SharedExchange, Caller?) {
        guard let shared = entry else {
            let shared = SharedExchange(call: call)
            entry = shared
            return (shared, nil)
        }
        let caller = Caller()
        shared.callers.append(caller)
        return (shared, caller)
    }

    /// Makes the first caller wait; `nil` if the exchange is already over.
    private func wait(for shared: SharedExchange, _ task: Task<Outcome, Never>) -> Caller? {
        exchanges.withLock { _ in
            guard !shared.isOver else { return nil }
            let caller = Caller()
            shared.callers.append(caller)
            shared.task = task
            return caller
        }
    }

    /// Removes a caller that stops waiting; the last one ends the exchange.
    private func leave(_ shared: SharedExchange, _ key: Key, _ caller: Caller) {
        let task = exchanges.withLock { exchanges -> Task<Outcome, Never>? in
            guard !shared.isOver, shared.callers.remove(caller) else { return nil }
            // Without a task, its first caller is about to wait.
            guard shared.callers.isEmpty, let task = shared.task else { return nil }
            // It can no longer be joined: later callers begin a new exchange.
            shared.isOver = true
            exchanges[key] = nil
            return task
        }
        task?.cancel()
    }

    /// Ends the exchanges of a session and waits for their end; their callers fail because the user has signed out.
    func removeData(of session: Partition.Session) async {
        let work = exchanges.withLock { exchanges in
            exchanges.filter { $0.key.session == session }.map { key, shared in
                exchanges[key] = nil
                (shared.isOver, shared.isEnded) = (true, true)
                return (shared.callers, shared.task)
            }
        }
        for (callers, task) in work {
            task?.cancel()
            for caller in callers.elements { caller.resume(.failure(Self.ended)) }
        }
        for (_, task) in work { _ = await task?.value }
    }

    private static var ended: NetworkError {
        let message = "the user has signed out since the call began"
        var failure = NetworkError(.userChanged, message, node: "CoalescingNode")
        failure.isSafeToResend = true
        return failure
    }

    private func complete(_ shared: SharedExchange, _ key: Key, _ outcome: Outcome) {
        let callers = exchanges.withLock { exchanges -> [Caller] in
            guard !shared.isOver else { return [] }
            shared.isOver = true
            exchanges[key] = nil
            return shared.callers.elements
        }
        for caller in callers { caller.resume(outcome) }
    }
}

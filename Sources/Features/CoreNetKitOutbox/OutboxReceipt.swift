public import CoreNetKit
import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// The caller's handle to an entry that is on disk.
public struct OutboxReceipt: Identifiable, Sendable {
    /// Identifies the entry, across restarts.
    public let id: UUID
    /// The queue in which it waits.
    public let queue: String
    /// The kind of request.
    public let kind: String
    /// The idempotency key that all attempts share; `nil` if the server honours none.
    public let key: String?
    let state: ReceiptState

    init(head: EntryHead, state: ReceiptState) {
        (id, queue, kind, key) = (head.id, head.queue, head.kind, head.key)
        self.state = state
    }

    /// Waits until the request is delivered, while this process lives.
    ///
    /// - Returns: The response.
    /// - Throws: ``OutboxError`` with code `notDelivered` when the entry ends otherwise, `deliveredElsewhere` when another
    ///   process delivers it; `CancellationError` when the waiting task is cancelled, which leaves the entry as it is.
    public func delivery() async throws -> OutboxDelivery { try await state.delivery() }

    /// The states of the entry, from now to its end.
    public var states: AsyncStream<OutboxEntry.State> { state.states }
}

/// The response to a request of the outbox.
public struct OutboxDelivery: Sendable {
    /// The entry at the time of its delivery.
    public let entry: OutboxEntry
    /// The response with its collected content; with a `contentFailure` if the content could not be read.
    public let response: TransportResponse

    init(entry: OutboxEntry, state: OutboxEntry.State, response: TransportResponse) {
        var entry = entry
        entry.state = state
        self.entry = entry
        self.response = response
    }
}

final class ReceiptState: Sendable {
    private struct State: Sendable {
        var state = OutboxEntry.State.waiting
        var result: Result<OutboxDelivery, OutboxError>?
        var waiters: Set<Waiter<OutboxDelivery>> = []
        var streams: [AsyncStream<OutboxEntry.State>.Continuation] = []
    }

    private let id: UUID
    private let state = Locked(State())

    init(id: UUID) { self.id = id }

    func set(_ new: OutboxEntry.State) {
        let streams = state.withLock { state in
            state.state = new
            return state.streams
        }
        for stream in streams { stream.yield(new) }
    }

    /// Ends the entry; without a response, waiting callers get an error.
    func end(_ new: OutboxEntry.State, _ delivery: OutboxDelivery?) {
        set(new)
        resolve(
            delivery.map { .success($0) } ?? .failure(OutboxError(.notDelivered, "the request ended: \(new)", id: id))
        )
    }

    func fail(_ error: OutboxError) { resolve(.failure(error)) }

    private func resolve(_ result: Result<OutboxDelivery, OutboxError>) {
        let (waiters, streams) = state.withLock { state in
            state.result = result
            defer { (state.waiters, state.streams) = ([], []) }
            return (state.waiters, state.streams)
        }
        for waiter in waiters { waiter.resume(result.mapError { $0 as any Error }) }
        for stream in streams { stream.finish() }
    }

    func delivery() async throws -> OutboxDelivery {
        let waiter = Waiter<OutboxDelivery>()
        let result = state.withLock { state in
            if state.result == nil { state.waiters.insert(waiter) }
            return state.result
        }
        if let result { return try result.get() }
        defer { state.withLock { _ = $0.waiters.remove(waiter) } }
        return try await waiter.value()
    }

    var states: AsyncStream<OutboxEntry.State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let isOver = state.withLock { state in
                continuation.yield(state.state)
                if state.result == nil { state.streams.append(continuation) }
                return state.result != nil
            }
            if isOver { continuation.finish() }
        }
    }
}

extension OutboxDelivery {
    /// Decodes the response as a model.
    ///
    /// - Throws: ``/CoreNetKit/NetworkError`` with code `emptyBody` or `decodingFailed`, or the failure of its content.
    public func model<O: DTODecodable & Sendable>(as type: O.Type = O.self) throws -> O
    where O.DTO.Raw: ResponsePayload {
        if let failure = response.contentFailure { throw NetworkError(failure, node: "Outbox") }
        do {
            return try O.from(dto: O.DTO.from(raw: O.DTO.Raw(response: response)))
        } catch {
            throw error as? NetworkError ?? NetworkError(.decodingFailed, "\(error)", node: "Outbox", cause: error)
        }
    }
}

extension OutboxReceipt {
    /// Waits until the request is delivered, while this process lives, and decodes the response as a model.
    ///
    /// - Throws: ``OutboxError`` when the entry ends otherwise, ``/CoreNetKit/NetworkError`` when decoding fails.
    public func delivery<O: DTODecodable & Sendable>(as type: O.Type) async throws -> O
    where O.DTO.Raw: ResponsePayload {
        try await delivery().model(as: type)
    }
}

extension Outbox {
    /// Registers a handler that gets responses as models, including those to requests of earlier processes; see ``on(_:_:)``.
    public func on<O: DTODecodable & Sendable>(
        _ kind: String,
        as type: O.Type,
        _ handler: @escaping @Sendable (OutboxEntry, Result<O, any Error>) async -> Void
    ) async where O.DTO.Raw: ResponsePayload {
        await on(kind) { delivery in await handler(delivery.entry, Result { try delivery.model(as: type) }) }
    }
}

import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// One call: finds the response for its key, or waits until it may send, and then stores its response.
///
/// A caller that has seen a lease holder waits for the end of that lease, even if the store fails. Only a caller without
/// that knowledge follows `ifStoreUnavailable:`; calls of this process then take turns in a local store.
struct IdempotencyCall: Sendable {
    /// The right to send.
    private struct Permit: Sendable {
        let store: any SharedStore
        let lease: SharedLease
        /// The earliest end of the lease.
        let end: Duration
        /// Whether only calls of this process respect the lease, because the shared store is unavailable.
        let isAlone: Bool
    }

    private enum Outcome: Sendable {
        case response(TransportResponse)
        case permit(Permit)
    }

    private let node: IdempotencyRecordNode
    private let input: TransportRequest
    private let key: SharedKey
    private let fingerprint: String
    private let context: RequestContext
    private var records: IdempotencyRecords { node.records }
    private var isAlone = false
    /// Until when another process may be sending, as far as this process has seen.
    private var heldUntil: Duration?
    private var permit: Permit?
    /// How many immediate repetitions are left after a lost connection.
    private var repetitions = 2
    private var reported: Set<String> = []

    init(_ node: IdempotencyRecordNode, _ input: TransportRequest, _ key: SharedKey, _ context: RequestContext) {
        (self.node, self.input, self.key, self.context) = (node, input, key, context)
        fingerprint = StoredResponse.fingerprint(of: input)
    }

    mutating func run() async throws -> TransportResponse {
        switch try await resolve() {
        case .response(let response): return response
        case .permit(let permit): return try await send(by: permit)
        }
    }

    /// Waits until there is a response or the right to send.
    private mutating func resolve() async throws -> Outcome {
        do {
            let outcome = try await wait()
            if case .response = outcome { await release(permit) }
            return outcome
        } catch {
            await release(permit)
            throw error
        }
    }

    private func release(_ permit: Permit?) async {
        if let permit { await permit.store.releaseReliably(permit.lease, before: permit.end, on: context.clock) }
    }

    private mutating func wait() async throws -> Outcome {
        if let first = try await context.waiting(for: .init(.store), { try await check() }) { return first }
        return try await context.waiting(for: .init(.shared)) {
            var pause = Duration.milliseconds(20)
            while true {
                let wake = context.clock.now + pause
                if let deadline = context.deadline, wake >= deadline { throw late }
                try await context.clock.sleep(until: wake)
                pause = min(pause * 2, .milliseconds(500))
                if let outcome = try await check() { return outcome }
            }
        }
    }

    /// Checks once, and tries once to get the right to send; `nil` if another call has it or the check must be repeated.
    private mutating func check() async throws -> Outcome? {
        do {
            return try await lookUp(in: isAlone ? records.alone : records.store)
        } catch let error as SharedStoreError {
            if error.code == .cancelled { throw CancellationError() }
            guard try continues(without: error) else { return nil }
            if let permit, context.clock.now < permit.end { return .permit(permit) }
            (isAlone, heldUntil) = (true, nil)
            return try await lookUp(in: records.alone)
        }
    }

    private mutating func lookUp(in store: any SharedStore) async throws -> Outcome? {
        if let response = try await stored(in: store) { return .response(response) }
        // Measured before the request, so that the lease lasts at least as long in the store.
        let now = context.clock.now
        if let permit, now < permit.end { return .permit(permit) }
        permit = nil
        guard let lease = try await store.lease(key, for: records.lease) else {
            heldUntil = context.clock.now + records.lease
            return nil
        }
        let permit = Permit(store: store, lease: lease, end: now + records.lease, isAlone: isAlone)
        self.permit = permit
        // The previous holder may have stored its response just now.
        if let response = try await stored(in: store) { return .response(response) }
        return .permit(permit)
    }

    private mutating func stored(in store: any SharedStore) async throws -> TransportResponse? {
        if let value = try await store.read(key), let response = try opened(value) { return response }
        // A response that this process received while the store was unavailable may not be in the store yet.
        guard !isAlone, let value = try await records.alone.read(key) else { return nil }
        return try opened(value)
    }

    private mutating func opened(_ value: SharedValue) throws -> TransportResponse? {
        let stored: StoredResponse
        do {
            let bytes = try records.sealing.opened(value.bytes, at: key)
            stored = try JSONDecoder().decode(StoredResponse.self, from: bytes)
        } catch {
            let why = (error as? SealingError)?.message ?? "another version wrote it"
            try decide("the kept response cannot be opened: \(why)", nil)
            return nil
        }
        guard stored.fingerprint == fingerprint else {
            let message = "the idempotency key belongs to another request; each request needs its own key"
            throw NetworkError(.invalidRequest, message, node: node.id)
        }
        return stored.response
    }

    // MARK: - Without the store

    private mutating func continues(without error: SharedStoreError) throws -> Bool {
        if let heldUntil, context.clock.now < heldUntil {
            let message =
                "the store does not respond; another process was seen sending, and the end of its lease is awaited"
            note(message, error)
            return false
        }
        // A new connection soon replaces a lost one; an unavailable store has its own error code.
        if error.code == .unreachable, repetitions > 0 {
            repetitions -= 1
            return false
        }
        try decide("the store did not do what it was asked for", error)
        return true
    }

    private mutating func decide(_ problem: String, _ error: SharedStoreError?) throws {
        switch records.failurePolicy {
        case .open, .localShare:
            note("a request is sent without knowing what other processes have sent, since \(problem)", error)
        case .closed:
            note("a request is refused, since \(problem)", error)
            throw queued(.nodeFailed, "the request was not sent, since \(problem)", error)
        }
    }

    private mutating func note(_ message: String, _ error: SharedStoreError?) {
        guard reported.insert(message).inserted else { return }
        node.note(.fallback, message, error, context)
    }

    private var late: NetworkError {
        queued(
            .deadlineExceeded,
            heldUntil != nil
                ? "another process sends the request of this idempotency key, and has no response yet"
                : "the store of the idempotency records did not respond in time",
            nil
        )
    }

    private func queued(_ code: NetworkError.Code, _ message: String, _ cause: SharedStoreError?) -> NetworkError {
        var failure = NetworkError.queued(code, message, node: node.id, retryAfter: cause?.retryAfter)
        (failure.isSafeToResend, failure.cause) = (true, cause)
        if code == .nodeFailed { failure.isRetryable = true }
        return failure
    }

    // MARK: - Sending

    private func send(by permit: Permit) async throws -> TransportResponse {
        do {
            let response = try await node.next.process(input, context: context)
            await context.waiting(for: .init(.store)) { await keep(response, by: permit) }
            return response
        } catch {
            await context.waiting(for: .init(.store)) { await release(permit) }
            throw error
        }
    }

    /// Stores a response and releases the lease, now or as soon as the store is available: until then the others wait.
    private func keep(_ response: TransportResponse, by permit: Permit) async {
        let (clock, key, lease) = (context.clock, key, records.lease)
        let timeToLive = permit.isAlone ? min(records.keepFor, lease) : records.keepFor
        let bytes = sealed(response)
        if let bytes {
            // A separate task, because the request of a cancelled call has been sent, too.
            let failure = await Task.startSeparately { await permit.store.writing(bytes, key, for: timeToLive) }.value
            if let failure {
                node.note(.notStored, "the response could not be kept for other processes", failure, context)
                // Calls of this process still find it.
                _ = await records.alone.writing(bytes, key, for: min(timeToLive, lease))
            }
            if failure?.isUnavailable == true {
                clock.repeating(until: permit.end) {
                    guard await permit.store.writing(bytes, key, for: timeToLive) == nil else { return false }
                    await permit.store.releaseReliably(permit.lease, before: permit.end, on: clock)
                    return true
                }
                return
            }
        }
        await release(permit)
        guard permit.isAlone, let bytes else { return }
        // Never overwrites a response that another process has stored meanwhile.
        clock.repeating(until: clock.time(after: lease)) { [records] in
            await records.store.writing(bytes, key, ifVersion: 0, for: records.keepFor) == nil
        }
    }

    private func sealed(_ response: TransportResponse) -> Data? {
        guard let stored = StoredResponse(response, fingerprint) else {
            let reason = StoredResponse.reasonNotStored(response)
            node.note(.notStored, "the response is not kept for other processes: \(reason)", nil, context)
            return nil
        }
        do {
            return try records.sealing.sealed(try JSONEncoder().encode(stored), at: key)
        } catch {
            node.note(.notStored, "the response could not be sealed for other processes: \(error)", nil, context)
            return nil
        }
    }
}

extension SharedStore {
    /// The error of the store; `nil` if it has written the value, or kept another one.
    fileprivate func writing(
        _ bytes: Data,
        _ key: SharedKey,
        ifVersion version: UInt64? = nil,
        for timeToLive: Duration
    ) async -> SharedStoreError? {
        do throws(SharedStoreError) {
            _ = try await write(key, bytes, ifVersion: version, for: timeToLive)
            return nil
        } catch {
            return error
        }
    }
}

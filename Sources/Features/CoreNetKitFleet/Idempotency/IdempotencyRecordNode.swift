import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

/// Sends a request with an `Idempotency-Key` in one process, and gives its response to all.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`, from next or as it was kept. Requests without a key, those
/// whose response is not collected, and those of a caller who means nobody in another process pass.
struct IdempotencyRecordNode: ChainStep {
    let next: Exchange
    let records: IdempotencyRecords
    let callers: CallIdentitySource

    /// Looks for the response, or sends the request as the one process that does.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: What next gives, or what it gave another process.
    /// - Throws: ``NetworkError`` with code `invalidRequest` for a key that another request has had, `deadlineExceeded`
    ///   while another process sends; what next throws.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard let name = input.headers[IdempotencyKey.fieldName], input.delivery.isCollected else {
            return try await next.process(input, context: context)
        }
        let caller = callers.identity(of: input, in: context.partition, by: context.secrets)
        guard caller.isShareable, caller.isStable else {
            if context.partition.isStable {
                let why =
                    caller.isShareable
                    ? "only credentials of its own name its caller; name the user with a partition"
                    : "a node of unknown scope, or a field that looks like credentials, may name its caller"
                note(.notKept, "a request is sent without records: \(why)", nil, context)
            }
            return try await next.process(input, context: context)
        }
        let key = key(name, input, caller)
        let print = StoredResponse.fingerprint(of: input)
        let lease: SharedLease
        do {
            switch try await turn(key, print, context) {
            case .response(let response): return response
            case .lease(let mine): lease = mine
            }
        } catch let error as SharedStoreError {
            if error.code == .cancelled { throw CancellationError() }
            note(.fellBack, "a request is sent without checking what other processes have sent", error, context)
            return try await next.process(input, context: context)
        }
        return try await send(input, as: lease, key, print, context)
    }

    private enum Turn {
        case response(TransportResponse)
        case lease(SharedLease)
    }

    /// The response, or the right to get it; waits while another process has that.
    private func turn(_ key: SharedKey, _ print: String, _ context: RequestContext) async throws -> Turn {
        let first = try await context.waiting(for: .init(.store)) { try await asked(key, print) }
        if let first { return first }
        return try await context.waiting(for: .init(.shared)) {
            var pause = Duration.milliseconds(20)
            while true {
                let wake = context.clock.now + pause
                if let deadline = context.deadline, wake >= deadline { throw late }
                try await context.clock.sleep(until: wake)
                pause = min(pause * 2, .milliseconds(500))
                if let turn = try await asked(key, print) { return turn }
            }
        }
    }

    /// One look, and one try to be the process that sends; `nil` where another one is.
    private func asked(_ key: SharedKey, _ print: String) async throws -> Turn? {
        if let response = try await stored(key, print) { return .response(response) }
        guard let lease = try await lease(key) else { return nil }
        return try await looked(lease, key, print)
    }

    /// Who had the lease before may have kept the response just now.
    private func looked(_ lease: SharedLease, _ key: SharedKey, _ print: String) async throws -> Turn {
        guard let response = try await stored(key, print) else { return .lease(lease) }
        await release(lease)
        return .response(response)
    }

    private func lease(_ key: SharedKey) async throws -> SharedLease? {
        try await records.store.lease(key, for: records.lease)
    }

    private func stored(_ key: SharedKey, _ print: String) async throws -> TransportResponse? {
        guard let value = try await records.store.read(key) else { return nil }
        let stored: StoredResponse
        do {
            let bytes = try SealedValue.open(value.bytes, by: records.sealing, at: key)
            stored = try JSONDecoder().decode(StoredResponse.self, from: bytes)
        } catch {
            let why = (error as? SealingError)?.message ?? "another version wrote it"
            throw NetworkError(.nodeFailed, "the kept response cannot be opened: \(why)", node: id, cause: error)
        }
        guard stored.fingerprint == print else {
            throw NetworkError(
                .invalidRequest,
                "the idempotency key belongs to another request; each request needs its own key",
                node: id
            )
        }
        return stored.response
    }

    private func send(
        _ input: TransportRequest,
        as lease: SharedLease,
        _ key: SharedKey,
        _ print: String,
        _ context: RequestContext
    ) async throws -> TransportResponse {
        do {
            let response = try await next.process(input, context: context)
            await context.waiting(for: .init(.store)) {
                await keep(response, key, print, context)
                await release(lease)
            }
            return response
        } catch {
            await context.waiting(for: .init(.store)) { await release(lease) }
            throw error
        }
    }

    private func keep(_ response: TransportResponse, _ key: SharedKey, _ print: String, _ context: RequestContext) async
    {
        guard let stored = StoredResponse(response, print) else {
            note(
                .notKept,
                "the response is not kept for other processes: \(StoredResponse.reason(response))",
                nil,
                context
            )
            return
        }
        do {
            let bytes = try SealedValue.seal(try JSONEncoder().encode(stored), by: records.sealing, at: key)
            _ = try await records.store.write(key, bytes, over: nil, for: records.keepFor)
        } catch {
            note(.notKept, "the response could not be kept for other processes", error as? SharedStoreError, context)
        }
    }

    /// Also for a call that was cancelled.
    private func release(_ lease: SharedLease) async {
        let store = records.store
        await Task.beside { try? await store.release(lease) }.value
    }

    /// What tells the key from those of other services, servers and users.
    private func key(_ name: String, _ input: TransportRequest, _ caller: CallIdentity) -> SharedKey {
        var parts = [records.name, Origin(input.url).description, caller.partition, name]
        if !caller.caller.isEmpty { parts.append(caller.caller) }
        return SharedKey(kind: "idempotency", parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    private func note(
        _ kind: FleetEvent.Kind,
        _ message: String,
        _ cause: SharedStoreError?,
        _ context: RequestContext
    ) {
        let event = FleetEvent(.idempotency, kind, message, cause: cause)
        context.record(.warning, id, "\(event)")
        records.events(event)
    }

    private var late: NetworkError {
        var failure = NetworkError.queued(
            .deadlineExceeded,
            "another process sends the request of this idempotency key, and has no response yet",
            node: id
        )
        failure.isSafeToResend = true
        return failure
    }
}

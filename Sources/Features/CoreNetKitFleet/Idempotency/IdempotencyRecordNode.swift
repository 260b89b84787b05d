import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// Sends a request with an `Idempotency-Key` in one process, and returns its response to all.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`, from next or as it was stored. Requests without a key,
/// requests whose response is not collected, and requests of a caller that other processes cannot identify pass through.
struct IdempotencyRecordNode: ChainStep {
    let next: Exchange
    let records: IdempotencyRecords
    let callers: CallIdentitySource

    /// Returns the stored response, or sends the request as the only process that does.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The output of next, or the response that another process received.
    /// - Throws: ``NetworkError`` with code `invalidRequest` for a key that belongs to another request, `deadlineExceeded`
    ///   while another process sends, `nodeFailed` if the store is required and unavailable; errors of next.
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
                note(.notStored, "a request is sent without records: \(why)", nil, context)
            }
            return try await next.process(input, context: context)
        }
        let key = key(name, input, caller)
        let fingerprint = StoredResponse.fingerprint(of: input)
        var lookup = IdempotencyLookup(self, key, fingerprint, context)
        switch try await lookup.resolve() {
        case .response(let response): return response
        case .permit(let permit): return try await send(input, by: permit, key, fingerprint, context)
        }
    }

    private func send(
        _ input: TransportRequest,
        by permit: IdempotencyLookup.Permit,
        _ key: SharedKey,
        _ fingerprint: String,
        _ context: RequestContext
    ) async throws -> TransportResponse {
        do {
            let response = try await next.process(input, context: context)
            await context.waiting(for: .init(.store)) { await keep(response, by: permit, key, fingerprint, context) }
            return response
        } catch {
            await context.waiting(for: .init(.store)) {
                await permit.store.releaseReliably(permit.lease, before: permit.end, on: context.clock)
            }
            throw error
        }
    }

    /// Stores a response and releases the lease, now or as soon as the store is available: until then the others wait.
    private func keep(
        _ response: TransportResponse,
        by permit: IdempotencyLookup.Permit,
        _ key: SharedKey,
        _ fingerprint: String,
        _ context: RequestContext
    ) async {
        let clock = context.clock
        let life = permit.isAlone ? min(records.keepFor, records.lease) : records.keepFor
        let bytes = sealed(response, key, fingerprint, context)
        if let bytes {
            // A separate task, because the request of a cancelled call has been sent, too.
            let failure = await Task.beside { await Self.written(bytes, key, over: nil, for: life, in: permit.store) }
                .value
            if let failure {
                note(.notStored, "the response could not be kept for other processes", failure, context)
                // Calls of this process still find it.
                _ = await Self.written(bytes, key, over: nil, for: min(life, records.lease), in: records.alone)
            }
            if failure?.isUnavailable == true {
                clock.repeating(until: permit.end) {
                    guard await Self.written(bytes, key, over: nil, for: life, in: permit.store) == nil else {
                        return false
                    }
                    await permit.store.releaseReliably(permit.lease, before: permit.end, on: clock)
                    return true
                }
                return
            }
        }
        await permit.store.releaseReliably(permit.lease, before: permit.end, on: clock)
        guard permit.isAlone, let bytes else { return }
        // Never overwrites a response that another process has stored meanwhile.
        clock.repeating(until: clock.time(after: records.lease)) { [records] in
            await Self.written(bytes, key, over: 0, for: records.keepFor, in: records.store) == nil
        }
    }

    private func sealed(
        _ response: TransportResponse,
        _ key: SharedKey,
        _ fingerprint: String,
        _ context: RequestContext
    ) -> Data? {
        guard let stored = StoredResponse(response, fingerprint) else {
            let reason = StoredResponse.reason(response)
            note(.notStored, "the response is not kept for other processes: \(reason)", nil, context)
            return nil
        }
        do {
            return try SealedValue.seal(try JSONEncoder().encode(stored), by: records.sealing, at: key)
        } catch {
            note(.notStored, "the response could not be sealed for other processes: \(error)", nil, context)
            return nil
        }
    }

    /// - Returns: The error of the store; `nil` if it has written the value, or kept another one.
    private static func written(
        _ bytes: Data,
        _ key: SharedKey,
        over version: UInt64?,
        for life: Duration,
        in store: any SharedStore
    ) async -> SharedStoreError? {
        do throws(SharedStoreError) {
            _ = try await store.write(key, bytes, over: version, for: life)
            return nil
        } catch {
            return error
        }
    }

    /// The store key: distinguishes the idempotency key from those of other services, servers and users.
    private func key(_ name: String, _ input: TransportRequest, _ caller: CallIdentity) -> SharedKey {
        var parts = [records.name, Origin(input.url).description, caller.partition, name]
        if !caller.caller.isEmpty { parts.append(caller.caller) }
        return SharedKey(kind: "idempotency", parts.map { "\($0.utf8.count):\($0)" }.joined())
    }

    func note(
        _ kind: FleetEvent.Kind,
        _ message: String,
        _ cause: SharedStoreError?,
        _ context: RequestContext
    ) {
        let event = FleetEvent(.idempotency, kind, message, cause: cause)
        context.record(.warning, id, "\(event)")
        records.events(event)
    }
}

/// A response as it is stored for other processes.
struct StoredResponse: Codable {
    private struct Field: Codable {
        let name: String
        let value: String
    }

    /// A fingerprint of the request, which detects a key that is reused for another request.
    let fingerprint: String
    private let status: Int
    private let reason: String
    private let fields: [Field]
    private let content: Data
    private let url: String
    private let isDecoded: Bool

    /// Creates the stored form; `nil` if the response cannot be stored.
    init?(_ response: TransportResponse, _ fingerprint: String) {
        guard (200..<300).contains(response.status), response.isDelimited, let content = response.body.data,
            content.count <= IdempotencyRecords.contentLimit
        else { return nil }
        self.fingerprint = fingerprint
        (status, reason) = (response.status, response.reason)
        fields = response.headers.map { Field(name: $0.name, value: $0.value) }
        (self.content, url, isDecoded) = (content, response.url.absoluteString, response.isDecoded)
    }

    /// Why a response is not stored.
    static func reason(_ response: TransportResponse) -> String {
        guard let content = response.body.data, response.isDelimited else {
            return "its content may be incomplete"
        }
        return (200..<300).contains(response.status)
            ? "its content has \(content.count) bytes of at most \(IdempotencyRecords.contentLimit)"
            : "its status is \(response.status)"
    }

    /// The response; `nil` if the stored URL is invalid.
    var response: TransportResponse? {
        guard let url = URL(string: url) else { return nil }
        let headers = Headers(fields.map { ($0.name, $0.value) })
        var response = TransportResponse(status: status, headers: headers, body: .bytes(content), url: url)
        (response.reason, response.isDecoded) = (reason, isDecoded)
        return response
    }

    /// A digest of method, URL and content; content that is not in memory counts only as present.
    static func fingerprint(of request: TransportRequest) -> String {
        var hash = SHA256()
        for part in ["\(request.method)", request.url.absoluteString] {
            hash.update(Array("\(part.utf8.count):\(part)".utf8))
        }
        if let bytes = request.body.data {
            hash.update(Array(bytes))
        } else {
            hash.update([request.body.isEmpty ? 0 : 1])
        }
        return Hex.encode(hash.digest)
    }
}

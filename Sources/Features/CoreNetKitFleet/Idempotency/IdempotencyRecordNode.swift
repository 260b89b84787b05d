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

    /// Throws `invalidRequest` for a key that belongs to another request, `deadlineExceeded` while another process
    /// sends,
    /// `nodeFailed` if the store is required and unavailable; errors of next.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard let name = input.headers[IdempotencyKey.fieldName], input.delivery.isCollected else {
            return try await next.process(input, context: context)
        }
        let caller = callers.identity(of: input, in: context.partition, by: context.secrets)
        guard caller.isShareable, caller.isStable else {
            if context.partition.isStable {
                let reason =
                    caller.isShareable
                    ? "only the request's own credentials identify its caller; name the user with a partition"
                    : "a node of unknown scope, or a field that looks like credentials, may identify its caller"
                note(.notStored, "a request is sent without records: \(reason)", nil, context)
            }
            return try await next.process(input, context: context)
        }
        var call = IdempotencyCall(self, input, key(name, input, caller), context)
        return try await call.run()
    }

    /// The store key: distinguishes the idempotency key from those of other services, servers and users.
    private func key(_ name: String, _ input: TransportRequest, _ caller: CallIdentity) -> SharedKey {
        var parts = [records.name, Origin(input.url).description, caller.partition, name]
        if !caller.caller.isEmpty { parts.append(caller.caller) }
        return SharedKey(kind: "idempotency", parts: parts)
    }

    func note(_ kind: FleetEvent.Kind, _ message: String, _ cause: SharedStoreError?, _ context: RequestContext) {
        let event = FleetEvent(.idempotency, kind, message, cause: cause)
        context.record(.warning, id, "\(event)")
        records.events(event)
    }
}

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

    static func reasonNotStored(_ response: TransportResponse) -> String {
        guard let content = response.body.data, response.isDelimited else { return "its content may be incomplete" }
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
        hash.update(request.body.data.map(Array.init) ?? [request.body.isEmpty ? 0 : 1])
        return Hex.encode(hash.digest)
    }
}

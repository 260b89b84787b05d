import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

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

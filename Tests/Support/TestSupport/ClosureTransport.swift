/// Responds to each request by a closure.
package struct ClosureTransport: Transport {
    package var capabilities: TransportCapabilities { [] }
    private let body: @Sendable (TransportRequest) async throws -> TransportResponse

    package init(_ body: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) { self.body = body }

    /// Responds to each request with the same response.
    package init(status: Int = 200, headers: Headers = [:], _ text: String = "") {
        self.init { .init(status: status, headers: headers, body: .bytes(Data(text.utf8)), url: $0.url) }
    }

    package func clientIdentity(for url: URL) -> String? { "" }

    package func send(_ request: TransportRequest) async throws -> TransportResponse { try await body(request) }
}

import TestSupport

/// A request to a path of one host.
func request(
    _ method: HTTPMethod = .get,
    _ target: String,
    headers: Headers = [:],
    body: RequestBody = .empty,
    timeouts: Timeouts = .init(),
    delivery: ResponseDelivery = .collect
) throws -> TransportRequest {
    let text = target.hasPrefix("/") || target.isEmpty ? "https://api.example.com\(target)" : target
    return TransportRequest(
        method: method,
        url: try #require(URL(string: text)),
        headers: headers,
        body: body,
        timeouts: timeouts,
        delivery: delivery
    )
}

struct User: Codable, Equatable, Sendable {
    var name: String
    var id: Int
}

extension Transport {
    /// The collected text of the response.
    func text(_ method: HTTPMethod = .get, _ target: String) async throws -> String {
        let response = try await send(try request(method, target))
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }
}

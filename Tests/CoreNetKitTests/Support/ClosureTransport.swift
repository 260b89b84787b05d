import CoreNetKit
import Foundation
import CoreNetKitSystem

/// Answers each request by a closure.
struct ClosureTransport: Transport {
    var capabilities: TransportCapabilities { [] }
    let body: @Sendable (TransportRequest) async throws -> TransportResponse

    init(_ body: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) { self.body = body }

    /// Answers each request with the same response.
    init(status: Int = 200, headers: Headers = [:], _ text: String = "") {
        self.init { .init(status: status, headers: headers, body: .bytes(Data(text.utf8)), url: $0.url) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await body(request) }
}

/// Remembers values in the order in which they came.
final class Recorder<Value: Sendable>: Sendable {
    private let locked = Locked<[Value]>([])

    func record(_ value: Value) { locked.withLock { $0.append(value) } }
    var values: [Value] { locked.withLock { $0 } }
}

extension Recorder where Value == TransportRequest {
    /// A transport that records requests and answers each in the same way.
    func transport(status: Int = 200, headers: Headers = [:], _ text: String = "{}") -> ClosureTransport {
        ClosureTransport { request in
            self.record(request)
            return .init(status: status, headers: headers, body: .bytes(Data(text.utf8)), url: request.url)
        }
    }
}

import CoreNetKitHTTP
package import CoreNetKitLoopback
package import CoreNetKitMock

extension LoopbackResponse {
    /// The same answer over a mock transport: a fault of the connection is a lost one.
    package var onMock: MockResponse {
        guard faults.isEmpty else { return .failure(.connectionLost) }
        guard case .text(let text) = body else { return .status(status) }
        return headers.reduce(MockResponse.text(text, status: status)) { $0.header($1.name, $1.value) }
    }
}

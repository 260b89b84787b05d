extension LoopbackResponse {
    /// The same response over a mock transport: a connection fault is a lost connection.
    package var onMock: MockResponse {
        guard faults.isEmpty else { return .failure(.connectionLost) }
        guard case .text(let text) = body else { return .status(status) }
        return headers.reduce(MockResponse.text(text, status: status)) { $0.header($1.name, $1.value) }
    }
}

extension LoopbackResponse {
    /// The same response over a mock transport: a connection fault is a lost connection.
    package var onMock: MockResponse {
        guard faults.isEmpty else { return .failure(.connectionLost) }
        let start: MockResponse =
            switch body {
            case .text(let text): .text(text, status: status)
            case .data(let data): .data(data, status: status)
            case .chunks(let chunks): .stream(status: status) { $0 < chunks.count ? chunks[$0] : nil }
            case .stream, .untilClose, .raw: .status(status)
            }
        let response = headers.reduce(start) { $0.header($1.name, $1.value) }
        return delay > .zero ? response.delayed(by: delay) : response
    }
}

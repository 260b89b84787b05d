import TestSupport

@Suite("MockTransport: closed streams", .timeLimit(.minutes(10)), .paced)
struct MockStreamCloseTests {
    @Test("a reader of a closed stream gets the end, at any moment")
    func close() async throws {
        let mock = MockTransport { $0.on(.get, "/a", MockResponse.chunks().thenStalling()) }
        let sent = TransportRequest(
            url: try #require(URL(string: "https://api.example.com/a")),
            timeouts: Timeouts(firstByte: nil, idle: nil),
            delivery: .stream
        )
        for _ in 0..<5000 {
            guard case .stream(let stream) = try await mock.send(sent).body else {
                Issue.record("no stream")
                return
            }
            let reader = Task.detached {
                var chunks = stream.makeAsyncIterator()
                return try await chunks.next()
            }
            await Task.yield()
            stream.close()
            #expect(try await reader.value == nil)
        }
    }
}

import CoreNetKit
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// How precise time limits are, and how soon a cancelled exchange has left the wire.
extension Benchmarks {
    private static let runs = 40

    @concurrent
    static func punctuality() async throws {
        try await limits()
        try await cancellations()
    }

    private struct Case: Sendable {
        let name: String
        var timeouts = Timeouts()
        var isSecure = false
        var response = LoopbackResponse.ok
    }

    private static func stalled(_ place: LoopbackFault.Point) -> LoopbackResponse {
        .text("0123456789").fault(.stall(place))
    }

    private static func limits() async throws {
        let limit = Duration.milliseconds(50)
        let cases = [
            Case(name: "connect, in the TLS handshake", timeouts: Timeouts(connect: limit), isSecure: true),
            Case(name: "first byte", timeouts: Timeouts(firstByte: limit), response: stalled(.beforeStatus)),
            Case(name: "idle, in the body", timeouts: Timeouts(idle: limit), response: stalled(.inBody(3))),
            Case(name: "total", timeouts: Timeouts(total: limit), response: stalled(.inBody(3))),
        ]
        try await measure("Limits of 50 ms: how late they strike", cases) { item, _, _, url, transport in
            let start = ContinuousClock.now
            do {
                _ = try await transport.send(TransportRequest(url: url, timeouts: item.timeouts))
                throw BenchmarkFailure("\(item.name): no limit struck")
            } catch let error as TransportError where error.code == .timedOut {
                return ContinuousClock.now - start - limit
            }
        }
    }

    private static func cancellations() async throws {
        let endless = LoopbackResponse.stream(length: nil) { _ in Data(count: 1 << 16) }
        let cases = [
            Case(name: "in the TLS handshake", isSecure: true),
            Case(name: "waiting for the response", response: stalled(.beforeStatus)),
            Case(name: "in the body", response: stalled(.inBody(3))),
            Case(name: "paused, the reader has stopped", response: endless),
        ]
        try await measure("Cancellation: from cancel() to the server seeing the end", cases, cancel)
    }

    /// A row for each case: a server that behaves like it, and so many runs of one transport.
    private static func measure(
        _ title: String,
        _ cases: [Case],
        _ time: (Case, _ run: Int, LoopbackServer, URL, CurlTransport) async throws -> Duration
    ) async throws {
        let table = Table("\(title), of \(runs)", ["", "median ms", "worst ms"])
        for item in cases {
            let server = try LoopbackServer(recording: .off) { _ in item.response }
            if item.isSecure { server.onConnect { _ in .stall } }
            let url = try BenchServer.url(item.isSecure ? "https" : "http", server.port).appending(path: "/")
            let transport = CurlTransport()
            var times: [Double] = []
            for run in 1...runs { times.append(try await time(item, run, server, url, transport).inSeconds * 1000) }
            table.row([item.name, times.median.text(), (times.max() ?? .nan).text()])
            await transport.shutdown()
        }
    }

    private static func cancel(
        _ item: Case,
        _ run: Int,
        _ server: LoopbackServer,
        _ url: URL,
        _ transport: CurlTransport
    ) async throws -> Duration {
        let isStream = if case .stream = item.response.body { true } else { false }
        let request = TransportRequest(url: url, delivery: isStream ? .stream : .collect)
        let task = Task {
            let response = try await transport.send(request)
            guard case .stream(let stream) = response.body else { return }
            // Reads one chunk and holds the stream until it is cancelled.
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next()
            try await Task.sleep(for: .seconds(60))
            _ = try await iterator.next()
        }
        try await server.wait { counts in
            isStream || item.isSecure ? counts.connections == run : counts.stalls == run
        }
        // Time for the exchange to reach the state in which it is cancelled.
        try await Task.sleep(for: .milliseconds(isStream ? 30 : 2))
        let start = ContinuousClock.now
        task.cancel()
        try await server.wait { $0.open == 0 }
        let time = ContinuousClock.now - start
        _ = await task.result
        return time
    }
}

import CoreNetKit
import CoreNetKitLoopback
import Foundation
import CoreNetKitCurl
import CoreNetKitHTTP

#if os(Linux)
    /// How precise time limits are, and how soon a cancelled exchange has left the wire.
    struct Punctuality {
        private static let runs = 40

        @concurrent
        static func run() async throws {
            try await limits()
            try await cancellations()
        }

        private struct Case: Sendable {
            let name: String
            let timeouts: Timeouts
            var isSecure = false
            var response = LoopbackResponse.ok
        }

        private static func limits() async throws {
            let limit = Duration.milliseconds(50)
            let cases = [
                Case(name: "connect, in the TLS handshake", timeouts: Timeouts(connect: limit), isSecure: true),
                Case(
                    name: "first byte",
                    timeouts: Timeouts(firstByte: limit),
                    response: .fault(.stall(.beforeStatus))
                ),
                Case(
                    name: "idle, in the body",
                    timeouts: Timeouts(idle: limit),
                    response: .text("0123456789").fault(.stall(.inBody(3)))
                ),
                Case(
                    name: "total",
                    timeouts: Timeouts(total: limit),
                    response: .text("0123456789").fault(.stall(.inBody(3)))
                ),
            ]
            let table = Table("Limits of 50 ms: how late they strike, of \(runs)", ["", "median ms", "worst ms"])
            for item in cases {
                let server = try server(item)
                let request = TransportRequest(url: try url(of: server, item), timeouts: item.timeouts)
                let transport = CurlTransport()
                var late: [Double] = []
                for _ in 0..<runs {
                    let clock = ContinuousClock()
                    let start = clock.now
                    do {
                        _ = try await transport.send(request)
                        throw BenchmarkFailure("\(item.name): no limit struck")
                    } catch let error as TransportError where error.code == .timedOut {
                        late.append((start.duration(to: clock.now) - limit).inSeconds * 1000)
                    }
                }
                table.row([item.name, late.median.text(2), (late.max() ?? .nan).text(2)])
                await transport.shutdown()
            }
        }

        private static func cancellations() async throws {
            let cases = [
                Case(name: "in the TLS handshake", timeouts: .init(), isSecure: true),
                Case(name: "waiting for the response", timeouts: .init(), response: .fault(.stall(.beforeStatus))),
                Case(
                    name: "in the body",
                    timeouts: .init(),
                    response: .text("0123456789").fault(.stall(.inBody(3)))
                ),
                Case(
                    name: "paused, the reader has stopped",
                    timeouts: .init(),
                    response: .stream(length: nil) { _ in Data(count: 1 << 16) }
                ),
            ]
            let table = Table(
                "Cancellation: from cancel() to the server seeing the end, of \(runs)",
                ["", "median ms", "worst ms"]
            )
            for item in cases {
                let server = try server(item)
                let url = try url(of: server, item)
                let transport = CurlTransport()
                var times: [Double] = []
                for run in 1...runs { times.append(try await cancel(item, run, server, url, transport)) }
                table.row([item.name, times.median.text(2), (times.max() ?? .nan).text(2)])
                await transport.shutdown()
            }
        }

        private static func cancel(
            _ item: Case,
            _ run: Int,
            _ server: LoopbackServer,
            _ url: URL,
            _ transport: CurlTransport
        ) async throws -> Double {
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
            let clock = ContinuousClock()
            let start = clock.now
            task.cancel()
            try await server.wait { $0.open == 0 }
            let time = start.duration(to: clock.now)
            _ = await task.result
            return time.inSeconds * 1000
        }

        private static func server(_ item: Case) throws -> LoopbackServer {
            let server = try LoopbackServer(recording: .off) { _ in item.response }
            if item.isSecure { server.onConnect { _ in .stall } }
            return server
        }

        private static func url(of server: LoopbackServer, _ item: Case) throws -> URL {
            guard item.isSecure else { return server.url("/") }
            guard let url = URL(string: "https://127.0.0.1:\(server.port)/") else { throw URLError(.badURL) }
            return url
        }
    }
#endif

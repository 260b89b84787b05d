import CoreNetKit
import Foundation
import CoreNetKitCurl

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if os(Linux)
    import CPlainCurl
#endif

/// Large bodies: 100 MiB down, 10 MiB up.
struct Bodies {
    static func run(_ server: BenchServer, rounds: Int) async throws {
        try await download(server, rounds)
        try await upload(server, rounds)
    }

    private static func download(_ server: BenchServer, _ rounds: Int) async throws {
        let url = server.url("blob")
        let builder = UrlChainsBuilder<URL>().route(.get, url).set(responseLimit: .max)
        let file = FileManager.default.temporaryDirectory.appending(path: "corenetkit-bench-\(getpid()).download")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = url.absoluteString
        let works: [(String, () async throws -> Int)] = [
            ("C libcurl, dropped", { Int(plain_download(text, 1, 0)) }),
            ("C libcurl, into a growing buffer", { Int(plain_download(text, 1, 1)) }),
            (
                "chain, stream",
                {
                    var count = 0
                    for try await chunk in try await builder.loadStream().process() as ResponseStream {
                        count += chunk.count
                    }
                    return count
                }
            ),
            ("chain, collected", { (try await builder.loadData().process() as Data).count }),
            (
                "chain, to a file",
                {
                    _ = try await builder.download(to: file).process() as Response<URL>
                    return BenchServer.blobSize
                }
            ),
            ("URLSession, collected", { try await URLSession.shared.data(from: url).0.count }),
        ]
        let table = Table("100 MiB down, medians of \(rounds)", ["", "MB/s", "CPU s", "peak MB"])
        for (name, work) in works {
            _ = try await work()
            var samples: [Sample] = []
            Memory.resetPeak()
            for _ in 0..<rounds {
                samples.append(
                    try await Sample.of {
                        let count = try await work()
                        guard count == BenchServer.blobSize else { throw BenchmarkFailure("\(name): \(count) bytes") }
                    }
                )
            }
            table.row([
                name, (Double(BenchServer.blobSize) / samples.map(\.wall).median / 1e6).text(0),
                samples.map(\.cpu).median.text(3), Memory.peakMegabytes().text(0),
            ])
        }
    }

    private static func upload(_ server: BenchServer, _ rounds: Int) async throws {
        let url = server.url("sink")
        let size = 10 << 20
        let data = Data(count: size)
        let file = FileManager.default.temporaryDirectory.appending(path: "corenetkit-bench-\(getpid()).upload")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = Client.shared.transport
        @Sendable func send(_ body: RequestBody) async throws {
            let response = try await transport.send(TransportRequest(method: .post, url: url, body: body))
            guard response.status == 200 else { throw BenchmarkFailure("upload: status \(response.status)") }
        }
        let text = url.absoluteString
        let chunk = Data(count: 1 << 16)
        let works: [(String, () async throws -> Void)] = [
            ("C libcurl", { _ = plain_upload(text, size, 20) }),
            ("CurlTransport, bytes", { for _ in 0..<20 { try await send(.bytes(data)) } }),
            ("CurlTransport, file", { for _ in 0..<20 { try await send(.file(file)) } }),
            (
                "CurlTransport, stream of known length",
                {
                    for _ in 0..<20 {
                        try await send(
                            .stream(length: Int64(size)) {
                                AsyncThrowingStream<Data, any Error> { continuation in
                                    for _ in 0..<(size / chunk.count) { continuation.yield(chunk) }
                                    continuation.finish()
                                }
                            }
                        )
                    }
                }
            ),
        ]
        let table = Table("10 MiB up, 20 times, medians of \(rounds)", ["", "MB/s", "of C", "CPU s"])
        var rates = works.map { _ in [Double]() }
        var cpu = rates
        for _ in 0..<rounds {
            for (index, work) in works.enumerated() {
                let sample = try await Sample.of { try await work.1() }
                rates[index].append(Double(size * 20) / sample.wall / 1e6)
                cpu[index].append(sample.cpu / 20)
            }
        }
        for (index, work) in works.enumerated() {
            table.row([
                work.0, rates[index].median.text(0), (rates[index].median / rates[0].median).text(),
                cpu[index].median.text(3),
            ])
        }
    }
}

import CoreNetKit
import CoreNetKitCurl
import Foundation

#if os(Linux)
    import CPlainCurl
#endif

/// Bodies of 1 GiB to and from a file, beside a C program with the same files in the same rounds.
struct LargeBodies {
    static func run(_ server: BenchServer, rounds: Int) async throws {
        #if os(Linux)
            let folder = FileManager.default.temporaryDirectory
            let target = folder.appending(path: "corenetkit-bench-\(getpid()).large")
            let source = folder.appending(path: "corenetkit-bench-\(getpid()).source")
            defer { for file in [target, source] { try? FileManager.default.removeItem(at: file) } }
            try Data().write(to: source)
            truncate(source.path(), BenchServer.largeSize)
            let (down, up) = (server.url("large"), server.url("discard"))
            let builder = UrlChainsBuilder<URL>().set(responseLimit: .max)
            let works: [(name: String, work: () async throws -> Void)] = [
                ("down, C, dropped", { try check(plain_download(down.absoluteString, 1, 0) == BenchServer.largeSize) }),
                (
                    "down, chain, stream",
                    {
                        var count = 0
                        let stream = try await builder.route(.get, down).loadStream().process() as ResponseStream
                        for try await chunk in stream { count += chunk.count }
                        try check(count == BenchServer.largeSize)
                    }
                ),
                ("down, C, to a file", { try check(plain_download_file(down.absoluteString, target.path()) == 0) }),
                (
                    "down, chain, to a file",
                    {
                        let response =
                            try await builder.route(.get, down).download(to: target).process() as Response<URL>
                        try check(response.status == 200)
                    }
                ),
                (
                    "up, C, from a file",
                    {
                        try check(
                            plain_upload_file(up.absoluteString, source.path(), Int64(BenchServer.largeSize)) == 0
                        )
                    }
                ),
                (
                    "up, transport, from a file",
                    {
                        let request = TransportRequest(method: .post, url: up, body: .file(source))
                        try check(try await Client.shared.transport.send(request).status == 200)
                    }
                ),
            ]
            var rates = works.map { _ in [Double]() }
            var cpu = rates
            for _ in 0..<rounds {
                for (index, work) in works.enumerated() {
                    let sample = try await Sample.of { try await work.work() }
                    rates[index].append(Double(BenchServer.largeSize) / sample.wall / 1e6)
                    cpu[index].append(sample.cpu)
                    // Not part of the next measurement.
                    sync()
                }
            }
            let table = Table("1 GiB, medians of \(rounds)", ["", "MB/s", "of C", "CPU s", "peak MB so far"])
            for (index, work) in works.enumerated() {
                // Each pair is the C program and this one.
                let plain = rates[index / 2 * 2].median
                table.row([
                    work.name, rates[index].median.text(0), (rates[index].median / plain).text(),
                    cpu[index].median.text(2), Memory.peakMegabytes().text(0),
                ])
            }
        #endif
    }

    private static func check(_ isRight: Bool) throws {
        guard isRight else { throw BenchmarkFailure("1 GiB did not go through") }
    }
}

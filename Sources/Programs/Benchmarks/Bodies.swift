import CPlainCurl
import CoreNetKit
import CoreNetKitCurl
import CoreNetKitHTTP
import Foundation
import FoundationNetworking

/// Large bodies: 100 MiB down, 10 MiB up, and 1 GiB to and from a file, beside a C program with the same files.
extension Benchmarks {
    static func bodies(_ server: BenchServer, rounds: Int) async throws {
        try await download(server, rounds)
        try await upload(server, rounds)
    }

    private static func download(_ server: BenchServer, _ rounds: Int) async throws {
        let url = server.url("blob")
        let builder = UrlChainsBuilder<URL>().route(.get, url).set(responseLimit: .max)
        let file = temporary("download")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = url.absoluteString
        func check(_ count: Int) throws { try Benchmarks.check(count == BenchServer.blobSize, "100 MiB") }
        let workloads = [
            Workload("C libcurl, dropped") { try check(Int(plain_download(text, 0))) },
            Workload("C libcurl, into a growing buffer") { try check(Int(plain_download(text, 1))) },
            Workload("chain, stream") { try check(try await streamed(builder)) },
            Workload("chain, collected") { try check((try await builder.loadData().process() as Data).count) },
            Workload("chain, to a file") { _ = try await builder.download(to: file).process() as Response<URL> },
            Workload("URLSession, collected") { try check(try await URLSession.shared.data(from: url).0.count) },
        ]
        let table = Table("100 MiB down, medians of \(rounds)", ["", "MB/s", "CPU s", "peak MB"])
        // Not in turn, for the sake of the peak.
        for work in workloads {
            try await work.run()
            resetPeak()
            let samples = try await Workload.samples(of: [work], rounds: rounds)[0]
            table.row([
                work.name, (Double(BenchServer.blobSize) / samples.median(\.wall) / 1e6).text(0),
                samples.median(\.cpu).text(3), peakMegabytes().text(0),
            ])
        }
    }

    private static func upload(_ server: BenchServer, _ rounds: Int) async throws {
        let url = server.url("sink")
        let size = 10 << 20
        let data = Data(count: size)
        let file = temporary("upload")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = url.absoluteString
        let chunk = Data(count: 1 << 16)
        let workloads = [
            Workload("C libcurl", calls: 20) { _ = plain_upload(text, size, 20) },
            Workload("CurlTransport, bytes", iterations: 20) { try await send(.bytes(data), to: url) },
            Workload("CurlTransport, file", iterations: 20) { try await send(.file(file), to: url) },
            Workload("CurlTransport, stream of known length", iterations: 20) {
                let body = RequestBody.stream(length: Int64(size)) {
                    AsyncThrowingStream<Data, any Error> { continuation in
                        for _ in 0..<(size / chunk.count) { continuation.yield(chunk) }
                        continuation.finish()
                    }
                }
                try await send(body, to: url)
            },
        ]
        let samples = try await Workload.samples(of: workloads, rounds: rounds)
        let table = Table("10 MiB up, 20 times, medians of \(rounds)", ["", "MB/s", "of C", "CPU s"])
        for (work, own) in zip(workloads, samples) {
            let wall = own.median(\.wall)
            table.row([
                work.name, (Double(size) / wall / 1e6).text(0), (samples[0].median(\.wall) / wall).text(),
                own.median(\.cpu).text(3),
            ])
        }
    }

    static func largeBodies(_ server: BenchServer, rounds: Int) async throws {
        let size = BenchServer.largeSize
        let (target, source) = (temporary("large"), temporary("source"))
        defer { for file in [target, source] { try? FileManager.default.removeItem(at: file) } }
        try Data().write(to: source)
        truncate(source.path(), size)
        let (down, up) = (server.url("large"), server.url("discard"))
        let (from, to) = (down.absoluteString, up.absoluteString)
        let builder = UrlChainsBuilder<URL>().set(responseLimit: .max).route(.get, down)
        func check(_ isRight: Bool) throws { try Benchmarks.check(isRight, "1 GiB") }
        // Pairs: the C program and this one. What is still to be written is not part of the next measurement.
        let workloads = [
            Workload("down, C, dropped") { try check(plain_download(from, 0) == size) },
            Workload("down, chain, stream") { try check(try await streamed(builder) == size) },
            Workload("down, C, to a file") { try check(plain_download_file(from, target.path()) == 0) },
            Workload("down, chain, to a file") {
                try check((try await builder.download(to: target).process() as Response<URL>).status == 200)
            },
            Workload("up, C, from a file") { try check(plain_upload_file(to, source.path(), Int64(size)) == 0) },
            Workload("up, transport, from a file") { try await send(.file(source), to: up) },
        ]
        let samples = try await Workload.samples(of: workloads, rounds: rounds, after: sync)
        let table = Table("1 GiB, medians of \(rounds)", ["", "MB/s", "of C", "CPU s", "peak MB so far"])
        for (index, work) in workloads.enumerated() {
            let (wall, plain) = (samples[index].median(\.wall), samples[index / 2 * 2].median(\.wall))
            table.row([
                work.name, (Double(size) / wall / 1e6).text(0), (plain / wall).text(),
                samples[index].median(\.cpu).text(2), peakMegabytes().text(0),
            ])
        }
    }

    private static func temporary(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "corenetkit-bench-\(getpid()).\(name)")
    }

    private static func streamed(_ builder: UrlChainsBuilder<URL>) async throws -> Int {
        var count = 0
        for try await chunk in try await builder.loadStream().process() as ResponseStream { count += chunk.count }
        return count
    }

    private static func send(_ body: RequestBody, to url: URL) async throws {
        let request = TransportRequest(method: .post, url: url, body: body)
        let status = try await Client.shared.transport.send(request).status
        try check(status == 200, "an upload, status \(status),")
    }

    private static func check(_ isRight: Bool, _ what: String) throws {
        guard isRight else { throw BenchmarkFailure("\(what) did not go through") }
    }
}

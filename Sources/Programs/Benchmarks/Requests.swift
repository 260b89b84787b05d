import CPlainCurl
import CoreNetKit
import CoreNetKitCurl
import CoreNetKitHTTP
import Foundation
import FoundationNetworking

/// Small GETs: requests per second, latency and CPU of each client, interleaved.
extension Benchmarks {
    struct Item: Decodable, Sendable {
        let sku: String
        let count: Int
    }

    struct Hello: Decodable, Sendable {
        let id: Int
        let name: String
        let tags: [String]
        let items: [Item]
        let total: Int
    }

    struct Contender {
        let name: String
        /// Sends `count` requests, `concurrency` at a time; returns the nanoseconds of each, or nothing if they are not measured.
        let run: (_ count: Int, _ concurrency: Int) async throws -> [Int64]
        var isSlow = false
        var isSequential = false
    }

    static func requests(_ server: BenchServer, rounds: Int, concurrency levels: [Int]) async throws {
        try await compare("HTTP/1.1", clients(server.url("hello"), configuration: nil), rounds, levels)
        if let secure = server.secure, ProcessInfo.processInfo.environment["BENCH_H1_ONLY"] == nil {
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .file(server.certificate.path())
            let clients = clients(secure.appending(path: "hello"), configuration: configuration)
            try await compare("HTTP/2 over TLS", clients.filter { !$0.isSlow }, rounds, levels)
        }
    }

    private static func clients(_ url: URL, configuration: CurlTransport.Configuration?) -> [Contender] {
        var settings = configuration ?? .init()
        settings.connectionsPerHost = 1024
        settings.totalConnections = 1024
        let transport = CurlTransport(configuration: settings)
        let request = TransportRequest(url: url)
        let builder = UrlChainsBuilder<URL>().set(transport: transport).route(.get, url)
        let models: Chain<Void, Hello> = builder.build()
        settings.loops = 2
        let twoLoops = CurlTransport(configuration: settings)
        let twoLoopBuilder = builder.set(transport: twoLoops)
        let text = url.absoluteString
        let isSecure = url.scheme == "https"
        var clients = [
            plain("C libcurl multi") { plain_multi_get(text, $0, $1, isSecure ? 1 : 0, $2) },
            client("CurlTransport") { _ = try await transport.send(request) },
            client("chain, kept") { _ = try await models.process() as Hello },
            client("chain, built for each call") { _ = try await builder.build().process() as Hello },
            client("the same, on the loop's thread", on: { [transport.taskExecutor()] }) {
                _ = try await builder.build().process() as Hello
            },
            client("the same, two loops") { _ = try await twoLoopBuilder.build().process() as Hello },
            client("the same, on two loops' threads", on: { [twoLoops.taskExecutor(), twoLoops.taskExecutor()] }) {
                _ = try await twoLoopBuilder.build().process() as Hello
            },
        ]
        if !isSecure {
            let easy = plain("C libcurl easy", isSequential: true) { count, _, times in
                plain_easy_get(text, count, times)
            }
            clients.insert(easy, at: 1)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpMaximumConnectionsPerHost = 64
            let session = URLSession(configuration: configuration)
            clients.append(client("URLSession", isSlow: true) { _ = try await session.data(from: url) })
        }
        return clients
    }

    private static func client(
        _ name: String,
        isSlow: Bool = false,
        on executors: @escaping () -> [any TaskExecutor] = { [] },
        _ call: @escaping @Sendable () async throws -> Void
    ) -> Contender {
        Contender(name: name, run: { try await spread($0, $1, on: executors(), call) }, isSlow: isSlow)
    }

    /// The C program, which writes its latencies and returns how many requests failed.
    private static func plain(
        _ name: String,
        isSequential: Bool = false,
        _ get: @escaping (_ count: Int, _ concurrency: Int, UnsafeMutablePointer<Int64>) -> Int
    ) -> Contender {
        let run = { (count: Int, concurrency: Int) in
            var latencies = [Int64](repeating: 0, count: count)
            let failed = get(count, concurrency, &latencies)
            guard failed == 0 else { throw BenchmarkFailure("\(name): \(failed) requests failed") }
            return latencies
        }
        return Contender(name: name, run: run, isSequential: isSequential)
    }

    private static func compare(_ title: String, _ clients: [Contender], _ rounds: Int, _ levels: [Int]) async throws {
        let columns = [
            "", "at a time", "requests/s", "of C", "p50 µs", "p99 µs", "CPU µs", "CPU of C", "switches", "allocations",
        ]
        let table = Table("Small JSON over \(title), medians of \(rounds)", columns)
        for level in levels {
            let clients = clients.filter { level == 1 || !$0.isSequential }
            var latencies = [[Int64]](repeating: [], count: clients.count)
            for client in clients { _ = try await client.run(max(level, 200), level) }
            let workloads = clients.enumerated().map { index, client in
                let count = (level == 1 ? 5_000 : 20_000) / (client.isSlow ? 10 : 1)
                return Workload(client.name, calls: count) { latencies[index] += try await client.run(count, level) }
            }
            let samples = try await Workload.samples(of: workloads, rounds: rounds)
            let reference = (wall: samples[0].median(\.wall), cpu: samples[0].median(\.cpu))
            for (index, own) in samples.enumerated() {
                let (wall, cpu) = (own.median(\.wall), own.median(\.cpu))
                let sorted = latencies[index].sorted()
                table.row([
                    workloads[index].name, "\(level)", (1 / wall).text(0), (reference.wall / wall).text(),
                    percentile(sorted, 0.5), percentile(sorted, 0.99), (cpu * 1e6).text(1),
                    (cpu / reference.cpu).text(), own.median(\.switches).text(), own.median(\.allocations).text(1),
                ])
            }
        }
    }

    private static func percentile(_ sorted: [Int64], _ fraction: Double) -> String {
        guard !sorted.isEmpty else { return "-" }
        return (Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1000).text(0)
    }

    /// Sends requests from several tasks, off the main actor.
    @concurrent
    static func spread(
        _ count: Int,
        _ concurrency: Int,
        on executors: [any TaskExecutor] = [],
        _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> [Int64] {
        let clock = ContinuousClock()
        return try await withThrowingTaskGroup(of: [Int64].self) { group in
            for worker in 0..<concurrency {
                group.addTask(executorPreference: executors.isEmpty ? nil : executors[worker % executors.count]) {
                    let share = count / concurrency + (worker < count % concurrency ? 1 : 0)
                    var latencies: [Int64] = []
                    latencies.reserveCapacity(share)
                    for _ in 0..<share {
                        let start = clock.now
                        try await call()
                        let time = start.duration(to: clock.now).components
                        latencies.append(time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000)
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// The benchmark did not measure what it should.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

import CoreNetKit
import CoreNetKitCurl
import CoreNetKitHTTP
import Foundation
import ProgramArguments

/// Resident memory: growth over many requests, and many requests at once.
extension Benchmarks {
    static func memory(_ server: BenchServer, most: Int) async throws {
        let transport = CurlTransport()
        let request = TransportRequest(url: server.url("hello"))
        let table = Table("Resident memory of this process after small GETs, 64 at a time", ["requests", "MB"])
        var sent = 0
        for total in [2_000, 10_000, 100_000, 1_000_000] where total <= most {
            // In batches, because the latencies of all requests would take half a megabyte.
            while sent < total {
                _ = try await spread(1000, 64) { _ = try await transport.send(request) }
                sent += 1000
            }
            table.row(["\(total)", residentMegabytes().text(1)])
        }
        await transport.shutdown()
    }

    /// Ten thousand requests at once against a server that takes a second for each.
    static func slowServer() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let (child, port) = try Process.server("serve")
        defer { child.stop() }
        let url = try BenchServer.url("http", port).appending(path: "slow")
        let table = Table(
            "10 000 requests at once, a server that takes 1 s for each",
            ["connections", "s", "peak MB", "kB each", "ms to cancel all"]
        )
        for connections in [256, 4096] {
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = connections
            configuration.totalConnections = connections
            let transport = CurlTransport(configuration: configuration)
            let request = TransportRequest(url: url, timeouts: Timeouts(phases: .seconds(60)))
            let before = residentMegabytes()
            resetPeak()
            let sample = try await Sample.of {
                _ = try await spread(10_000, 10_000) { _ = try await transport.send(request) }
            }
            let peak = peakMegabytes()
            let cancelSeconds = try await cancelAll { _ = try await transport.send(request) }
            table.row([
                "\(connections)", sample.wall.text(1), peak.text(0), ((peak - before) / 10).text(1),
                (cancelSeconds * 1000).text(0),
            ])
            await transport.shutdown()
        }
    }

    /// Starts 10 000 long calls and cancels them together; returns the seconds until all have ended.
    private static func cancelAll(_ call: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let calls = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10_000 { group.addTask { try? await call() } }
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        let start = ContinuousClock.now
        calls.cancel()
        await calls.value
        return (ContinuousClock.now - start).inSeconds
    }

    static func residentMegabytes() -> Double { Double(ResidentMemory.kilobytes) / 1000 }
    static func peakMegabytes() -> Double { Double(ResidentMemory.peakKilobytes) / 1000 }

    static func resetPeak() { try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }
}

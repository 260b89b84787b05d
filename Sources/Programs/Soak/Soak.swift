import CoreNetKit
import CoreNetKitCurl
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import ProgramArguments

/// Random calls against random faults from many tasks.
///
/// It fails when a call does not end exactly once and with a valid outcome, or when descriptors, threads, memory,
/// connections or files are leaked.
@main
struct Soak: Sendable {
    private let environment: SoakEnvironment
    private let caches: SoakCaches
    private let builder: UrlChainsBuilder<URL>
    private let taskCount = 64
    private let statistics = SoakStatistics()
    private let seed: UInt64

    static func main() async throws {
        ProcessResources.prepare()
        let arguments = ProgramArguments("usage: Soak [COUNT [SEED]]", values: 2)
        if arguments.values == ["serve"] { return try await SoakServer.serve() }
        let (count, seed) = (arguments.number(at: 0, default: 200_000), arguments.number(at: 1, default: UInt64(1)))
        let server = try SoakServer()
        let soak = try Soak(base: server.base, seed: seed)
        let violations = try await soak.run(count)
        server.stop()
        for violation in violations { print("VIOLATION: \(violation)") }
        print(violations.isEmpty ? "\nsoak: fine" : "\nsoak: \(violations.count) violations")
        fflush(nil)
        exit(violations.isEmpty ? 0 : 1)
    }

    private init(base: URL, seed: UInt64) throws {
        self.seed = seed
        environment = try SoakEnvironment(base: base)
        caches = SoakCaches(in: environment.folder)
        builder = UrlChainsBuilder<URL>()
            .retry(RetryPolicy(limit: 1, backoff: .exponential(base: .milliseconds(1), cap: .milliseconds(5))))
            .set(responseQueue: .global())
    }

    private func run(_ count: Int) async throws -> [String] {
        let protocols = environment.proxy == nil ? "HTTP/1.1 only" : "HTTP/1.1 and HTTP/2"
        print("\nsoak: \(count) calls from \(taskCount) tasks, \(protocols), seed \(seed)")
        let watchdog = Task { try await statistics.watch() }
        defer { watchdog.cancel() }
        // The first transport warms up the process: thread pool, caches, allocator.
        try await session(first: 0, count: count / 5)
        print("after       descriptors  threads      MB  server: descriptors      MB")
        func measure(_ name: String) async throws -> (own: ProcessResources, server: ProcessResources) {
            let server = try await serverResources()
            let own = ProcessResources.current()
            let cells = [
                (name, 12), ("\(own.descriptors)", 11), ("\(own.threads)", 9), (own.megabytes, 8),
                ("\(server.descriptors)", 21), (server.megabytes, 8),
            ]
            print(cells.map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined())
            fflush(nil)
            return (own, server)
        }
        let before = try await measure("\(count / 5)")
        for part in 1..<5 {
            try await session(first: count / 5 * part, count: part < 4 ? count / 5 : count - count / 5 * 4)
            _ = try await measure("\(part < 4 ? count / 5 * (part + 1) : count)")
        }
        try await churn(200)
        // The descriptors of a released transport close when its loop notices.
        for _ in 0..<100 where ProcessResources.current().descriptors > before.own.descriptors {
            try await Task.sleep(for: .milliseconds(50))
        }
        let after = try await measure("churn")
        statistics.report()
        return await statistics.violations(started: count) + growth(before.own, after.own, "")
            + growth(before.server, after.server, "server: ")
            + leftovers() + caches.violations()
    }

    /// Makes calls through one transport, and shuts it down afterwards.
    private func session(first: Int, count: Int) async throws {
        let transport = CurlTransport(configuration: environment.configuration(tasks: taskCount))
        let tools = SoakTools(transport: transport, builder: builder.set(transport: transport), caches: caches.all)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    var random = SplitMix64(seed: seed << 32 ^ UInt64(first + task))
                    for id in stride(from: first + task, to: first + count, by: taskCount) {
                        let call = SoakCall(id: id, random: &random, environment: environment)
                        statistics.begin(call)
                        statistics.end(call, await call.run(tools))
                    }
                }
            }
        }
        await transport.shutdown()
    }

    /// Shuts down or drops transports while calls run.
    private func churn(_ count: Int) async throws {
        for index in 0..<count {
            let transport = CurlTransport()
            let request = TransportRequest(
                url: environment.base.appending(path: SoakKind.path(.delayed, id: index, size: 1000)),
                delivery: index % 3 == 0 ? .stream : .collect
            )
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try? await transport.send(request) } }
                if index % 2 == 0 { group.addTask { await transport.shutdown() } }
            }
        }
        try await waitUntilSettled()
    }

    /// Queries the server when all other connections are closed.
    private func serverResources() async throws -> ProcessResources {
        try await waitUntilSettled()
        return try await resources()
    }

    /// Queries the server over a separate connection.
    private func resources() async throws -> ProcessResources {
        let transport = CurlTransport()
        let response = try await transport.send(TransportRequest(url: environment.base.appending(path: "resources")))
        await transport.shutdown()
        return try JSONDecoder().decode(ProcessResources.self, from: response.body.data ?? Data())
    }

    /// Waits up to five seconds for closing connections, and as long for threads.
    private func waitUntilSettled() async throws {
        for _ in 0..<100 {
            if try await resources().connections <= 1 { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        // A thread of the pool ends after five idle seconds; work in small pieces keeps all of them alive.
        if ProcessResources.current().threads > 16 { try await Task.sleep(for: .seconds(6)) }
    }

    private func growth(_ before: ProcessResources, _ after: ProcessResources, _ prefix: String) -> [String] {
        let sizes: [(String, KeyPath<ProcessResources, Int>, slack: Int)] = [
            // An idle loop ends with its thread and its two descriptors, and is started again on demand.
            ("descriptors", \.descriptors, 2),
            // The runtime's pool varies by one or two threads; transports that leak theirs would leave hundreds.
            ("threads", \.threads, 3),
            // The allocator's arenas vary a little; a leak of 20 bytes per call would show.
            ("kB", \.residentKilobytes, ProcessResources.isSanitized ? 1 << 40 : 3000),
        ]
        var violations = sizes.filter { after[keyPath: $1] > before[keyPath: $1] + $2 }.map { name, size, _ in
            "\(prefix)\(before[keyPath: size]) \(name) became \(after[keyPath: size])"
        }
        if after.connections > 1 { violations.append("\(prefix)\(after.connections) connections are open") }
        return violations
    }

    private func leftovers() -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: environment.folder.path())) ?? []
        try? FileManager.default.removeItem(at: environment.folder)
        return files.isEmpty ? [] : ["\(files.count) files were left behind, such as \(files[0])"]
    }
}

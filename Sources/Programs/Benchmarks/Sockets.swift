import CPlainCurl
import CoreNetKit
import CoreNetKitCurl
import CoreNetKitSockets
import CoreNetKitWire
import Foundation

/// Echoes over one WebSocket, beside a C program on libcurl's connection with the same server, interleaved.
extension Benchmarks {
    static func sockets(rounds: Int) async throws {
        let (process, port) = try Process.server("serve-echo")
        defer { process.stop() }
        try await compare(Echoes(title: "125 bytes, one at a time", size: 125, ahead: 1, count: 5_000), port, rounds)
        try await compare(Echoes(title: "125 bytes, 64 ahead", size: 125, ahead: 64, count: 50_000), port, rounds)
        try await compare(Echoes(title: "1 MiB, 2 ahead", size: 1 << 20, ahead: 2, count: 400), port, rounds)
    }

    private struct Echoes { let title: String, size: Int, ahead: Int, count: Int }

    private static func compare(_ echoes: Echoes, _ port: Int, _ rounds: Int) async throws {
        let (title, size, ahead, count) = (echoes.title, echoes.size, echoes.ahead, echoes.count)
        let plain = { (gathers: Int32) in
            guard plain_echo("http://127.0.0.1:\(port)", size, ahead, count, gathers) == 0 else {
                throw BenchmarkFailure("C: \(title) did not come back")
            }
        }
        var workloads = [Workload("C, a send for each message", calls: count) { try plain(0) }]
        if ahead > 2 { workloads.append(Workload("C, a send for all of a read", calls: count) { try plain(1) }) }
        let transport = CurlTransport()
        let client = Client(transport: transport)
        let work = { try await echo(echoes, client, port) }
        workloads.append(Workload("Socket", calls: count, work))
        workloads.append(
            Workload("Socket, on the loop's thread", calls: count) {
                try await withTaskExecutorPreference(transport.taskExecutor()) { try await work() }
            }
        )
        let samples = try await Workload.samples(of: workloads, rounds: rounds, warmUps: 1)
        let table = Table(
            "\(title), medians of \(rounds)",
            ["", "echoes/s", "MB/s each way", "of C", "CPU µs", "of C", "allocations"]
        )
        let reference = (wall: samples[0].median(\.wall), cpu: samples[0].median(\.cpu))
        for (work, own) in zip(workloads, samples) {
            let (wall, cpu) = (own.median(\.wall), own.median(\.cpu))
            table.row([
                work.name, (1 / wall).text(0), (Double(size) / wall / 1e6).text(1), (reference.wall / wall).text(),
                (cpu * 1e6).text(2), (cpu / reference.cpu).text(), own.median(\.allocations).text(1),
            ])
        }
    }

    /// Each received message sends the next one.
    private static func echo(_ echoes: Echoes, _ client: Client, _ port: Int) async throws {
        let (size, ahead, count) = (echoes.size, echoes.ahead, echoes.count)
        var options = SocketOptions()
        (options.messageLimit, options.inbox) = (2 << 20, 64)
        let builder = UrlChainsBuilder<String>(client: client).route(.get, "ws://127.0.0.1:\(port)/")
        let socket = try await builder.rawSocket(options).process() as Socket<SocketMessage, SocketMessage>
        let message = SocketMessage.data(Data(count: size))
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<min(ahead, count) { group.addTask { try await socket.send(message) } }
            var (received, sent) = (0, min(ahead, count))
            for try await echo in socket {
                guard case .data(let bytes) = echo, bytes.count == size else {
                    throw BenchmarkFailure("\(echoes.title) came back as something else")
                }
                received += 1
                if received == count { break }
                guard sent < count else { continue }
                sent += 1
                if ahead == 1 {
                    try await socket.send(message)
                } else {
                    // Waiting for each message means one in flight.
                    group.addTask { try await socket.send(message) }
                }
            }
        }
        await socket.close()
    }

    /// Runs in the child process: serves both until it is terminated, at most ten minutes.
    static func serveEchoes() {
        alarm(600)
        plain_echo_serve { key, accepted in
            guard let key, let accepted else { return }
            let bytes = UnsafeRawBufferPointer(start: key, count: 24)
            let made = SocketHandshake.accept(String(decoding: bytes, as: UTF8.self))
            _ = made.withCString { strcpy(accepted, $0) }
        }
    }
}

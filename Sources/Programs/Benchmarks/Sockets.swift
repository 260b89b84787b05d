import CoreNetKit
import CoreNetKitCurl
import CoreNetKitSockets
import CoreNetKitWire
import Foundation

#if os(Linux)
    import CPlainCurl

    /// Echoes over one WebSocket, beside a C program on libcurl's connection with the same server, interleaved.
    struct Sockets {
        private struct Work {
            let name: String
            let run: () async throws -> Void
        }

        static func run(rounds: Int) async throws {
            let server = try Server()
            defer { server.stop() }
            try await compare("125 bytes, one at a time", server, size: 125, ahead: 1, count: 5_000, rounds)
            try await compare("125 bytes, 64 ahead", server, size: 125, ahead: 64, count: 50_000, rounds)
            try await compare("1 MiB, 2 ahead", server, size: 1 << 20, ahead: 2, count: 400, rounds)
        }

        private static func compare(
            _ title: String,
            _ server: Server,
            size: Int,
            ahead: Int,
            count: Int,
            _ rounds: Int
        ) async throws {
            let plain = { (gathers: Int32) in
                guard plain_echo("http://127.0.0.1:\(server.port)", size, ahead, count, gathers) == 0 else {
                    throw BenchmarkFailure("C: \(title) did not come back")
                }
            }
            var works = [Work(name: "C, a send for each message") { try plain(0) }]
            if ahead > 2 { works.append(Work(name: "C, a send for all of a read") { try plain(1) }) }
            let transport = CurlTransport()
            let client = Client(transport: transport)
            let work = { try await echo(client, server.port, size, ahead, count, title) }
            works.append(Work(name: "Socket", run: work))
            works.append(
                Work(name: "Socket, on the loop's thread") {
                    try await withTaskExecutorPreference(transport.taskExecutor()) { try await work() }
                }
            )
            var samples = works.map { _ in [Sample]() }
            // The first round is a warm-up.
            for round in 0...rounds {
                for (index, work) in works.enumerated() {
                    let sample = try await Sample.of { try await work.run() }
                    if round > 0 { samples[index].append(sample) }
                }
            }
            let table = Table(
                "\(title), medians of \(rounds)",
                ["", "echoes/s", "MB/s each way", "of C", "CPU µs", "of C", "allocations"]
            )
            let times = samples.map { $0.map(\.wall).median / Double(count) }
            let processor = samples.map { $0.map(\.cpu).median / Double(count) }
            for (index, work) in works.enumerated() {
                table.row([
                    work.name, (1 / times[index]).text(0), (Double(size) / times[index] / 1e6).text(1),
                    (times[0] / times[index]).text(), (processor[index] * 1e6).text(2),
                    (processor[index] / processor[0]).text(),
                    (samples[index].map(\.allocations).median / Double(count)).text(1),
                ])
            }
        }

        /// Each received message sends the next one.
        private static func echo(
            _ client: Client,
            _ port: Int,
            _ size: Int,
            _ ahead: Int,
            _ count: Int,
            _ title: String
        ) async throws {
            var options = SocketOptions()
            (options.messageLimit, options.inbox) = (2 << 20, 64)
            let chain: Chain<Void, Socket<SocketMessage, SocketMessage>> = UrlChainsBuilder<String>(client: client)
                .route(.get, "ws://127.0.0.1:\(port)/")
                .rawSocket(options)
            let socket = try await chain.process()
            let message = SocketMessage.data(Data(count: size))
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<min(ahead, count) { group.addTask { try await socket.send(message) } }
                var (received, sent) = (0, min(ahead, count))
                for try await echo in socket {
                    guard case .data(let bytes) = echo, bytes.count == size else {
                        throw BenchmarkFailure("\(title) came back as something else")
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

        /// The server of both, in a process of its own.
        final class Server {
            let port: Int
            private let process = Process()

            init() throws {
                let output = Pipe()
                process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
                process.arguments = ["serve-echo"]
                process.standardOutput = output
                try process.run()
                let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            }

            func stop() {
                process.terminate()
                process.waitUntilExit()
            }

            /// Runs in the child process: serves until it is terminated, at most ten minutes.
            static func serve() {
                var port: Int32 = 0
                let listener = plain_echo_listen(&port)
                print(port)
                fflush(nil)
                alarm(600)
                plain_echo_serve(listener) { key, accepted in
                    guard let key, let accepted else { return }
                    let bytes = UnsafeRawBufferPointer(start: key, count: 24)
                    let made = SocketHandshake.accept(String(decoding: bytes, as: UTF8.self))
                    _ = made.withCString { strcpy(accepted, $0) }
                }
            }
        }
    }
#endif

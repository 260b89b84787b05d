#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    /// The port of the server of `.ci/peers/run idle`, which starts this test in a process of its own.
    private let idlePort = ProcessInfo.processInfo.environment["IDLE_SERVER_PORT"].flatMap { Int($0) }

    @Suite(
        "Curl: the memory of kept connections",
        .enabled(if: idlePort != nil, "run by .ci/proofs idle-connections"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct IdleMemoryTests {
        private static let hosts = 100
        private static let connections = 100

        /// The process's resident memory in bytes.
        private static var resident: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }

        @Test("ten thousand idle ones take at most 2 kB each in total")
        func memory() async throws {
            let transport = CurlTransport.made() {
                $0.connectionsPerHost = Self.connections
                $0.totalConnections = 2 * Self.hosts * Self.connections
                $0.idleConnectionLifetime = .seconds(600)
            }
            // As many at once as one address has connections: the server sends nothing before all of them are there.
            func open(_ host: Int) async throws {
                let place = url("http://127.0.1.\(host + 1):\(idlePort ?? 0)/")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<Self.connections {
                        group.addTask { _ = try await transport.send(TransportRequest(url: place)) }
                    }
                    try await group.waitForAll()
                }
            }
            let first = 5
            for host in 0..<first { try await open(host) }
            let before = Self.resident
            for host in first..<Self.hosts { try await open(host) }
            let statistics = await transport.statistics()
            #expect(statistics.idle == Self.hosts * Self.connections && statistics.open == statistics.idle)
            let each = (Self.resident - before) / ((Self.hosts - first) * Self.connections)
            print("idle connections: \(statistics.idle), \(each) bytes each")
            #expect(each <= 2048)
            await transport.shutdown()
        }
    }
#endif

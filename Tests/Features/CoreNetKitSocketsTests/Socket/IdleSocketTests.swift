import CoreNetKitPeer
import TestSupport

@testable import CoreNetKitSockets

#if os(Linux)
    /// `TEST_ROUNDS=10000 swift test --filter IdleSocketTests` opens so many; resident memory is of the whole process, so that it
    /// counts where it is the only test.
    @Suite("Idle sockets", .timeLimit(.minutes(10)), .paced)
    struct IdleSocketTests {
        /// Nothing, and then the end.
        private final class Quiet: DuplexSource {
            private let state = Locked<(isEnded: Bool, wake: (@Sendable () -> Void)?)>((false, nil))

            func poll() -> Result<Data?, any Error>? { state.withLock(\.isEnded) ? .success(nil) : nil }

            func registerWaker(_ wake: @escaping @Sendable () -> Void) -> Bool {
                state.withLock { state in
                    if !state.isEnded { state.wake = wake }
                    return !state.isEnded
                }
            }

            func end() {
                let wake = state.withLock { state in
                    state.isEnded = true
                    return state.wake.take()
                }
                wake?()
            }
        }

        /// Connections that nothing comes over.
        private struct Silence: Transport {
            let connections = Locked<[Quiet]>([])
            var capabilities: TransportCapabilities { [.duplex] }

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                let quiet = Quiet()
                connections.withLock { $0.append(quiet) }
                return DuplexStream(receive: { nil }, send: { _ in }, close: { quiet.end() }, source: quiet)
                    .opened(by: request)
            }
        }

        private static func residentBytes() throws -> Int {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
                * Int(sysconf(Int32(_SC_PAGESIZE)))
        }

        @Test("take little memory of ours")
        func memory() async throws {
            let count = TestRounds.count(200)
            // Nobody is to be given up while the others are opened.
            let chain = UrlChainsBuilder<String>(client: Client().set(transport: Silence()))
                .route(.get, "wss://localhost/socket")
                .raw { $0.keepAlive = .every(.seconds(3600), within: .seconds(20)) }
            // What is made once is made before.
            var sockets: [Socket<SocketMessage, SocketMessage>] = []
            for _ in 0..<50 { sockets.append(try await chain.process()) }
            sockets.reserveCapacity(count + 50)
            let before = try Self.residentBytes()
            for _ in 0..<count { sockets.append(try await chain.process()) }
            let each = (try Self.residentBytes() - before) / count
            #expect(sockets.allSatisfy { $0.state == .open })
            print("idle sockets: \(count), \(each) bytes each")
            if TestRounds.given != nil { #expect(each <= 20 << 10) }
        }
    }
#endif

@Suite("A line that takes little at a time", .timeLimit(.minutes(10)), .paced)
struct SlowLineTests {
    /// Takes what is sent as it is allowed to, and brings nothing.
    private struct SlowLine: Transport {
        let permits = ReaderQueue<Void>()
        let ended = ReaderQueue<Data>()
        /// How often something was to be sent.
        let begun = Locked(0)
        var capabilities: TransportCapabilities { [.duplex] }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            DuplexStream(
                receive: { try await ended.next() },
                send: { _ in
                    begun.withLock { $0 += 1 }
                    guard try await permits.next() != nil else { throw CancellationError() }
                },
                close: {
                    ended.end()
                    permits.end()
                }
            ).opened(by: request)
        }
    }

    private let clock = ManualClock()
    private let line = SlowLine()

    private func open() async throws -> Socket<SocketMessage, SocketMessage> {
        let client = Client(transport: line, clock: CallClock(clock), seed: 1)
        return try await UrlChainsBuilder<String>(client: client).route(.get, "wss://localhost/socket")
            .raw { $0.keepAlive = .every(.seconds(10), within: .seconds(10)) }.process()
    }

    /// Time passes until the next check, at this second.
    private func pass(to second: Int, _ socket: Socket<SocketMessage, SocketMessage>) async throws {
        try await clock.waitForSleepers(1)
        clock.advance(to: .init(offset: .seconds(second)))
        await until { !clock.sleepers.isEmpty || socket.state != .open }
    }

    /// The line takes a piece, and the next one is tried.
    private func take() async {
        let before = line.begun.withLock { $0 }
        line.permits.add(())
        await until { line.begun.withLock { $0 } > before }
    }

    @Test("keeps its socket while more goes, however long that takes, and not longer", arguments: [1, 8])
    func progress(messages: Int) async throws {
        let socket = try await open()
        let sending = Task {
            for _ in 0..<messages { try await socket.send(.data(Data(count: (8 << 20) / messages))) }
        }
        await until { line.begun.withLock { $0 } == 1 }
        try await pass(to: 10, socket)
        for second in [19, 28, 37] {
            clock.advance(to: .init(offset: .seconds(second)))
            await take()
            try await pass(to: second + 1, socket)
            #expect(socket.state == .open, "\(second)")
        }
        clock.advance(to: .init(offset: .seconds(60)))
        await expectFailure(.connectionLost, .silent) { _ = try await socket.next() }
        _ = await sending.result
    }
}

extension DuplexStream {
    /// The response to a handshake, over which this stream is the connection.
    fileprivate func opened(by request: TransportRequest) -> TransportResponse {
        guard let opening = SocketOpening(request.headers, protocols: []) else {
            return TransportResponse(status: 426, url: request.url)
        }
        return TransportResponse(status: 101, headers: opening.response, body: .duplex(self), url: request.url)
    }
}

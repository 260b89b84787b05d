import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

#if os(Linux)
    /// `TEST_ROUNDS=10000 swift test --filter IdleSocketTests` opens so many; resident memory is of the whole process, so that it
    /// counts where it is the only test.
    @Suite("Idle sockets", .timeLimit(.minutes(10)), .paced)
    struct IdleSocketTests {
        /// Nothing, and then the end.
        private final class Quiet: DuplexSource {
            private let state = Locked<(isEnded: Bool, wake: (@Sendable () -> Void)?)>((false, nil))

            func take() -> Result<Data?, any Error>? { state.withLock(\.isEnded) ? .success(nil) : nil }

            func park(_ wake: @escaping @Sendable () -> Void) -> Bool {
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
                guard let opening = SocketOpening(request.headers, protocols: []) else {
                    return TransportResponse(status: 426, url: request.url)
                }
                let quiet = Quiet()
                connections.withLock { $0.append(quiet) }
                let duplex = DuplexStream(receive: { nil }, send: { _ in }, close: { quiet.end() }, source: quiet)
                return TransportResponse(
                    status: 101,
                    headers: opening.response,
                    body: .duplex(duplex),
                    url: request.url
                )
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

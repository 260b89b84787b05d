import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitURLSession
import CoreNetKitWire
import TestSupport

/// What stands between a platform's WebSocket and ours, where that platform is not.
@Suite("Sockets over a platform's own WebSocket", .timeLimit(.minutes(10)), .paced)
struct MessageBridgeTests {
    /// A platform's WebSocket whose other side is the test.
    private final class Channel: MessageChannel {
        struct State {
            var sent: [String] = []
            var asked = 0
            var pongs: [@Sendable () -> Void] = []
            var closed: (code: UInt16, reason: Data)?
            var isCut = false
        }

        let incoming = ReaderQueue<ChannelMessage>()
        let state = Locked(State())
        var sent: [String] { state.withLock(\.sent) }

        func send(_ message: ChannelMessage) async throws {
            guard !state.withLock(\.isCut) else { throw URLError(.networkConnectionLost) }
            state.withLock { $0.sent.append("\(message)") }
        }

        func receive() async throws -> ChannelMessage {
            state.withLock { $0.asked += 1 }
            guard let message = try await incoming.next() else { throw URLError(.networkConnectionLost) }
            return message
        }

        func ping(_ ponged: @escaping @Sendable () -> Void) { state.withLock { $0.pongs.append(ponged) } }

        func close(_ code: UInt16, _ reason: Data) {
            state.withLock { state in
                state.sent.append("close \(code) \(String(decoding: reason, as: UTF8.self))")
                if state.closed == nil { state.closed = (code, Data()) }
            }
            incoming.end()
        }

        var closed: (code: UInt16, reason: Data)? { state.withLock(\.closed) }

        func cut() {
            state.withLock { $0.isCut = true }
            incoming.end()
        }

        /// The other side closes.
        func end(_ code: UInt16, _ reason: String) {
            state.withLock { $0.closed = (code, Data(reason.utf8)) }
            incoming.end()
        }
    }

    /// Hands out the channel as a handshake would.
    private struct Platform: Transport {
        let channel: Channel
        var capabilities: TransportCapabilities { [.duplex] }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let key = try #require(request.headers["Sec-WebSocket-Key"])
            let bridge = MessageBridge(channel) { _ in
                TransportError(.connectionLost, phase: .receive, message: "lost")
            }
            return TransportResponse(
                status: 101,
                headers: SocketHandshake.response(key: key, selected: nil, deflate: nil),
                body: .duplex(bridge.stream),
                url: request.url
            )
        }
    }

    private let channel = Channel()

    private func socket(
        on clock: CallClock = .continuous,
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) async throws -> Socket<SocketMessage, SocketMessage> {
        let client = Client(clock: clock, seed: 1).set(transport: Platform(channel: channel))
        return try await UrlChainsBuilder<String>(client: client)
            .route(.get, "wss://localhost/socket")
            .raw { options in
                options.keepAlive = nil
                change(&options)
            }
            .process()
    }

    @Test("carry messages in both directions in their order, offered compression or not", arguments: [false, true])
    func messages(isOffered: Bool) async throws {
        let socket = try await socket { if isOffered { $0.compression = .deflate(above: 0) } }
        let long = String(repeating: "äö€", count: 50_000)
        for text in ["", "one", long] { try await socket.send(.text(text)) }
        try await socket.send(.data(Data([1, 2, 3])))
        #expect(channel.sent == [#"text("")"#, #"text("one")"#, "text(\"\(long)\")", "data(3 bytes)"])
        for number in 0..<100 {
            channel.incoming.add(number % 2 == 0 ? .text("\(number)") : .data(Data([UInt8(number)])))
        }
        var messages = socket.makeAsyncIterator()
        for number in 0..<100 {
            #expect(try await messages.next() == (number % 2 == 0 ? .text("\(number)") : .data(Data([UInt8(number)]))))
        }
    }

    @Test("a message that takes long to copy stays before the next one, also while pongs arrive")
    func order() async throws {
        let stream = MessageBridge(channel) { _ in TransportError(.connectionLost, phase: .receive, message: "lost") }
            .stream
        let messages: [ChannelMessage] = [.data(Data(count: 1 << 20)), .text("a")]
        var (sizes, isPinged): ([Int], Bool) = ([], false)
        while sizes.count < 1000 {
            if sizes.count.isMultiple(of: 2) { for message in messages { channel.incoming.add(message) } }
            let count = sizes.count
            while sizes.count == count {
                if !isPinged {
                    isPinged = true
                    try await stream.send(SocketFrame(.ping, Data()).bytes(mask: SocketMask(word: 7)))
                    let pong = try #require(channel.state.withLock { $0.pongs.popLast() })
                    Task.detached {
                        for _ in 0..<Int.random(in: 0..<1000) { await Task.yield() }
                        pong()
                    }
                }
                let bytes = try #require(try await stream.receive())
                if bytes.count > 2 { sizes.append(bytes.count) } else { isPinged = false }
            }
        }
        #expect(Set(sizes.indices.map { $0.isMultiple(of: 2) == (sizes[$0] > 100) }) == [true])
    }

    @Test("ask for no more than the reader takes: the server has to wait for one that is slow")
    func pressure() async throws {
        for number in 0..<100 { channel.incoming.add(.text("\(number)")) }
        let socket = try await socket { $0.inbox = 4 }
        await until { self.channel.state.withLock(\.asked) >= 4 }
        for _ in 0..<200 { await Task.yield() }
        #expect(channel.state.withLock(\.asked) <= 6)
        channel.end(1000, "")
        #expect(try await socket.collect() == (0..<100).map { .text("\($0)") })
    }

    @Test("tell the close of the other side, with its words, and what ends without one")
    func ends() async throws {
        let closing = try await socket()
        channel.end(4001, "as asked")
        let (error, cause) = await socketFailure { _ = try await closing.collect() }
        #expect(error?.code == .reportedByServer)
        #expect(cause?.close == SocketClose(4001, "as asked", isFromPeer: true))
        let lost = MessageBridgeTests()
        let cut = try await lost.socket()
        lost.channel.incoming.end()
        await expectFailure(.connectionLost, .cut) { _ = try await cut.collect() }
    }

    @Test("send a close with its code, and cut what is dropped")
    func closes() async throws {
        // The limit of a close has to stand still, or a busy machine makes it late.
        let socket = try await socket(on: CallClock(ManualClock()))
        let close = try await socket.close(4000, "done")
        #expect(close.code == 4000)
        #expect(channel.sent == ["close 4000 done"])
        let other = MessageBridgeTests()
        _ = try await other.socket()
        await until { other.channel.sent == ["close 1000 "] }
    }

    @Test("time pings by the platform's, and notice a peer that gives no pong")
    func pings() async throws {
        let socket = try await socket()
        let ping = Task { try await socket.ping() }
        await until { !self.channel.state.withLock(\.pongs).isEmpty }
        for ponged in channel.state.withLock(\.pongs) { ponged() }
        #expect(try await ping.value > .zero)
        let silent = MessageBridgeTests()
        let dead = try await silent.socket { $0.keepAlive = .every(.milliseconds(20), within: .milliseconds(20)) }
        await expectFailure(.connectionLost, .silent) { _ = try await dead.collect() }
        #expect(silent.channel.state.withLock(\.isCut))
    }

    @Test("lose no message to a reader that was cancelled")
    func cancelled() async throws {
        let bridge = MessageBridge(channel) { _ in TransportError(.failed, phase: .receive, message: "") }
        let stream = bridge.stream
        for number in 0..<50 {
            let reading = Task { try await stream.receive() }
            if number % 2 == 0 { await until { self.channel.state.withLock(\.asked) > number } }
            reading.cancel()
            channel.incoming.add(.text("\(number)"))
            var bytes = (try? await reading.value) ?? nil
            if bytes == nil { bytes = try await stream.receive() }
            #expect(bytes == SocketFrame(.text, Data("\(number)".utf8)).bytes(mask: nil))
        }
    }
}

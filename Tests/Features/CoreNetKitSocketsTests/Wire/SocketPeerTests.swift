import CoreNetKitSockets
import TestSupport

#if os(Linux)
    @Suite(
        "Sockets with third-party servers",
        .timeLimit(.minutes(10)),
        .enabled(if: !ForeignPeer.echoes.isEmpty, "run by .ci/peers/run sockets"),
        .serialized,
        .paced
    )
    struct SocketPeerTests {
        private func open(
            _ peer: ForeignPeer,
            _ compression: SocketCompression? = nil
        ) async throws -> Socket<SocketMessage, SocketMessage> {
            try await UrlChainsBuilder<String>(client: Client(seed: 1)).route(.get, peer.url)
                .raw { ($0.compression, $0.protocols, $0.messageLimit) = (compression, ["other", "echo"], 2 << 20) }
                .process()
        }

        @Test(
            "carry texts and bytes of every size, with and without compression",
            arguments: ForeignPeer.echoes,
            [nil, .deflate(windowBits: 15, keepsContext: true, above: 0), .deflate(windowBits: 9, above: 0)]
                as [SocketCompression?]
        )
        func echo(_ name: String, _ compression: SocketCompression?) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer, compression)
            #expect(socket.selectedProtocol == "echo")
            try await socket.expectEcho([0, 1, 125, 126, 65535, 65536, 1 << 20])
            if compression != nil {
                // 1 MiB of the same words went twice, noise as well: without compression it would be four.
                #expect(socket.statistics.bytesSent < 5 << 19, "\(name) compresses")
                #expect(socket.statistics.bytesReceived < 5 << 19, "\(name) compresses")
            }
            await socket.close()
        }

        @Test("pings of both sides get their pongs, and fragments come as one message", arguments: ForeignPeer.echoes)
        func pings(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            #expect(try await socket.ping() < .seconds(10))
            // `aiohttp` sends no fragments, and sends this back.
            for word in ["ping", "fragments"] {
                try await socket.send(.text(word))
                #expect(try await socket.next() == .text(word))
            }
            await socket.close()
        }

        @Test("a close of either side has its code on both", arguments: ForeignPeer.echoes)
        func closes(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let ours = try await open(peer)
            let close = try await ours.close(4001, "tschüs")
            #expect(!close.isFromPeer, "\(name)")
            // `aiohttp` closes with 1000 whatever it was told.
            #expect(close.code == (name == "aiohttp" ? .normal : 4001), "\(name)")
            let asking = try await open(peer)
            var messages = asking.makeAsyncIterator()
            // The server notes it behind its own close, which we have.
            var last: SocketMessage?
            repeat {
                try await asking.send(.text("last"))
                last = try await messages.next()
            } while last == .text("none")
            #expect(last == .text("4001"), "\(name)")
            for code in [1000, 1011, 3000, 4999] as [UInt16] {
                let theirs = try await open(peer)
                try await theirs.send(.text("close \(code)"))
                let (error, cause) = await socketFailure {
                    var messages = theirs.makeAsyncIterator()
                    let message = try await messages.next()
                    #expect(message == nil)
                }
                #expect(error?.code == (code == 1000 ? nil : .reportedByServer), "\(name) \(code)")
                if code != 1000 {
                    #expect(cause?.close == SocketClose(.init(rawValue: code), "as asked", isFromPeer: true))
                }
                let end = SocketState.closed(SocketClose(.init(rawValue: code), "as asked", isFromPeer: true))
                await until { theirs.state != .open }
                #expect(theirs.state == end, "\(name) \(code)")
            }
            await asking.close()
        }

        @Test(
            "a server that dies in the middle of a message is a connection that was lost",
            arguments: ForeignPeer.echoes
        )
        func dies(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            try await socket.send(.text("die"))
            let (error, cause) = await socketFailure { _ = try await socket.next() }
            #expect(error?.code == .connectionLost && cause?.code == .cut, "\(name): \(String(describing: error))")
        }

        @Test("many at once, and in order", arguments: ForeignPeer.echoes)
        func many(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            let sending = Task { for index in 0..<2000 { try await socket.send(.text("\(index)")) } }
            for index in 0..<2000 { #expect(try await socket.next() == .text("\(index)")) }
            try await sending.value
            await socket.close()
        }
    }

    private let autobahn = ProcessInfo.processInfo.environment["AUTOBAHN_URL"]

    /// The cases of Autobahn's fuzzing server that `AUTOBAHN_URL` names, as `.ci/autobahn` starts it.
    @Suite(
        "Sockets with Autobahn",
        .timeLimit(.minutes(60)),
        .enabled(if: autobahn != nil, "needs Autobahn's fuzzing server, and its URL in AUTOBAHN_URL"),
        .serialized,
        .paced
    )
    struct AutobahnTests {
        /// What the server says of a case, for this agent.
        private struct Status: Decodable, Sendable { var behavior: String }

        private func chain(_ path: String) throws -> UrlChainsBuilder<String> {
            UrlChainsBuilder<String>(client: Client(seed: 1)).route(.get, try #require(autobahn) + path)
        }

        private let options = SocketOptions { options in
            (options.messageLimit, options.keepAlive) = (64 << 20, nil)
            options.compression = .deflate(windowBits: 15, keepsContext: true, above: 0)
        }

        @Test("no case fails, and none is left out")
        func cases() async throws {
            var counting = try await chain("/getCaseCount").rawSocket(options).process().makeAsyncIterator()
            guard case .text(let text) = try await counting.next() else { throw CancellationError() }
            let count = try #require(Int(text))
            var behaviors: [String: Int] = [:]
            for number in 1...count {
                let path = "/runCase?case=\(number)&agent=CoreNetKit"
                // What a case breaks off is right or wrong by what the server says.
                do {
                    let socket = try await chain(path).rawSocket(options).process()
                    for try await message in socket { try await socket.send(message) }
                } catch {}
                let verdict = try await chain("/getCaseStatus?case=\(number)&agent=CoreNetKit")
                    .socket(reading: SocketReading<Status>.json, writing: .text, options).process()
                let behavior = try await verdict.next()?.behavior ?? "nothing"
                behaviors[behavior, default: 0] += 1
                if !["OK", "NON-STRICT", "INFORMATIONAL"].contains(behavior) {
                    Issue.record("case \(number): \(behavior)")
                }
            }
            _ = try await chain("/updateReports?agent=CoreNetKit").rawSocket(options).process().collect()
            #expect(behaviors["NON-STRICT", default: 0] <= 3, "\(behaviors)")
        }
    }
#endif

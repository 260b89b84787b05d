#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Statistics that cannot drift; HTTP/1.1 alone, or as TLS agrees", .timeLimit(.minutes(10)), .paced)
    struct StatisticsTests {
        /// A way in which exchanges end.
        struct Ending: Sendable, CustomTestStringConvertible {
            typealias Script = @Sendable (RawPeer, RawPeer.Connection) -> Void

            let testDescription: String
            /// What a server does with a connection; nothing more means that it closes.
            let script: Script
            var scheme = "http"
            var delivery: ResponseDelivery = .collect
            var limit: Duration?
            /// Cancels the call once the server knows of it.
            var isCancelled = false
        }

        private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

        /// Says something to a request, and closes the connection, or leaves that to the client.
        private static func says(_ text: String, awaitsEnd: Bool = false) -> Ending.Script {
            { peer, connection in
                guard peer.head(of: connection) != nil else { return }
                connection.write(text)
                if awaitsEnd { connection.awaitEnd() }
            }
        }

        /// A server that never says anything of TLS.
        private static let silent: Ending.Script = { peer, connection in
            peer.note("seen")
            connection.awaitEnd()
        }

        static let endings: [Ending] = [
            Ending(testDescription: "kept") { _, connection in
                while connection.head() != nil { connection.write(head + "hello") }
            },
            Ending(testDescription: "closed at once") { _, _ in },
            Ending(testDescription: "reset at once") { _, connection in connection.breakOff() },
            Ending(testDescription: "closed after the response", script: says(head + "hello")),
            Ending(testDescription: "cut in the head", script: says("HTTP/1.1 200")),
            Ending(testDescription: "cut in the content", script: says(head + "hel")),
            Ending(testDescription: "garbage", script: says("garbage\r\n\r\n")),
            Ending(testDescription: "bytes nobody asked for", script: says(head + "hello, world", awaitsEnd: true)),
            Ending(
                testDescription: "timed out in the content",
                script: says(head + "hel", awaitsEnd: true),
                limit: .milliseconds(100)
            ),
            Ending(
                testDescription: "timed out in the TLS handshake",
                script: silent,
                scheme: "https",
                limit: .milliseconds(100)
            ),
            Ending(
                testDescription: "cancelled in the TLS handshake",
                script: silent,
                scheme: "https",
                isCancelled: true
            ),
            Ending(testDescription: "no TLS", script: { _, connection in connection.write("no TLS") }, scheme: "https"),
            Ending(
                testDescription: "cancelled before the response",
                script: says("", awaitsEnd: true),
                isCancelled: true
            ),
            Ending(
                testDescription: "a stream that is dropped",
                script: says(head + "hel", awaitsEnd: true),
                delivery: .stream
            ),
        ]

        @Test("after any ends they are those of the connections that are there", arguments: HTTPChoice.all, endings)
        func ends(http: HTTPChoice, ending: Ending) async throws {
            let peer = try RawPeer(ending.script)
            let transport = http.transport { $0.tls.verifiesServer = false }
            let place = url(peer.url.absoluteString.replacingOccurrences(of: "http", with: ending.scheme))
            var timeouts = Timeouts.unlimited
            timeouts.total = ending.limit
            let request = TransportRequest(method: .post, url: place, timeouts: timeouts, delivery: ending.delivery)
            for _ in 0..<3 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { _ = try? await transport.send(request) } }
                    if ending.isCancelled {
                        while peer.requests.isEmpty { await Task.yield() }
                        group.cancelAll()
                    }
                }
            }
            // The ends of connections arrive later than those of exchanges.
            let deadline = ContinuousClock.now + .seconds(20)
            var statistics = await transport.statistics()
            var open = try OwnSockets.connected(to: peer.url.port ?? 0).count
            // libcurl looks at a kept connection when it is about to use it again.
            let mayBeKept = ending.testDescription == "kept"
            func isSettled() -> Bool {
                statistics.open == open && statistics.idle == open && statistics.running == 0 && statistics.waiting == 0
                    && (open == 0 || mayBeKept)
            }
            var looks = 0
            while !isSettled(), ContinuousClock.now < deadline {
                looks += 1
                let isQuick = !ending.isCancelled && ending.limit == nil && ending.delivery == .collect
                if mayBeKept, isQuick, looks % 300 == 0 { _ = try? await transport.send(request) }
                await Task.yield()
                statistics = await transport.statistics()
                open = try OwnSockets.connected(to: peer.url.port ?? 0).count
            }
            #expect(isSettled(), "\(statistics), \(open) sockets")
            #expect(ending.testDescription != "kept" || open > 0)
            await transport.shutdown()
            #expect(await transport.statistics() == .init())
        }

        @Test("connections that are refused leave nothing", arguments: HTTPChoice.all)
        func refused(http: HTTPChoice) async throws {
            let transport = http.transport()
            for scheme in ["http", "https"] {
                let text = try LoopbackServer.unusedPortURL().absoluteString
                let place = url(text.replacingOccurrences(of: "http", with: scheme))
                for _ in 0..<20 { _ = try? await transport.send(TransportRequest(url: place)) }
            }
            #expect(await transport.statistics() == .init())
        }
    }
#endif

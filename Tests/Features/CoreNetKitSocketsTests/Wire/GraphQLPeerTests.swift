import CoreNetKitJson
import CoreNetKitSockets
import TestSupport

#if os(Linux)
    /// The recipe GraphQLSubscriptions with servers that others have written, see `.ci/peers/sockets.py`.
    @Suite(
        "GraphQL over sockets with third-party servers",
        .timeLimit(.minutes(10)),
        .enabled(if: !ForeignPeer.graphs.isEmpty, "run by .ci/peers/run sockets"),
        .serialized,
        .paced
    )
    struct GraphQLPeerTests {
        private typealias Calls = SocketCalls<GraphFrame, GraphFrame, String>
        private static let name = "graphql-transport-ws"

        /// As the recipe, with a token that is asked for at each connection.
        private func open(
            _ peer: ForeignPeer,
            token: @escaping @Sendable () -> String = { "right" }
        ) async throws -> Socket<GraphFrame, GraphFrame> {
            var options = SocketOptions()
            (options.protocols, options.reconnection) = ([Self.name], .standard)
            options.reconnection.initial = .milliseconds(1)
            options.reconnection.limit = 3
            let chain: Chain<Void, Socket<GraphFrame, GraphFrame>> = UrlChainsBuilder<String>(client: Client(seed: 1))
                .route(.get, peer.url).socket(reading: .json, writing: .json, options)
                .greeting { greeting in
                    #expect(greeting.resume.selectedProtocol == Self.name)
                    let payload: Json = ["token": .init(token())]
                    try await greeting.send(GraphFrame("connection_init", nil, payload))
                    try await greeting.reply { $0.type == "connection_ack" }
                }
                .reconnecting { $0.code == 4403 ? .renewToken : $0.code.rawValue >= 4400 ? .giveUp : nil }
            return try await chain.process()
        }

        private func subscribe(_ calls: Calls, _ id: String, _ query: String) -> AsyncThrowingStream<
            GraphFrame, any Error
        > {
            let start = GraphFrame("subscribe", id, ["query": .init(query)])
            let end = GraphFrame("complete", id)
            return calls.stream(id, start, leaving: end, resumes: true) { $0.type != "next" }
        }

        @Test("subscriptions by the dozen, each with its numbers in order and its end", arguments: ForeignPeer.graphs)
        func counts(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let calls = Calls(try await open(peer)) { $0.id }
            try await withThrowingTaskGroup { group in
                for index in 1...24 {
                    let frames = subscribe(calls, "c\(index)", "subscription { count(to: \(index)) }")
                    group.addTask {
                        let frames = try await frames.collect()
                        #expect(frames.map { $0.number("count") } == (1...index).map { $0 } + [nil], "\(name)")
                        #expect(frames.last?.type == "complete", "\(name)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(await calls.close().code == .normal)
        }

        @Test("an operation that is wrong, or fails on its way, ends its stream alone", arguments: ForeignPeer.graphs)
        func errors(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            let calls = Calls(socket) { $0.id }
            let wrong = try await subscribe(calls, "1", "subscription { nothing }").collect()
            #expect(wrong.map(\.type) == ["error"], "\(name)")
            #expect(wrong.first?.payload?[0]?["message"]?.string?.contains("nothing") == true, "\(name)")
            let failing = try await subscribe(calls, "2", "subscription { fails }").collect()
            #expect(failing.map(\.type) == ["next", "next", "complete"], "\(name)")
            #expect(failing[1].payload?["errors"]?[0]?["message"]?.string == "as asked", "\(name)")
            let running = try await subscribe(calls, "3", "{ running }").collect()
            #expect(running.first?.number("running") == 0, "\(name)")
            #expect(socket.statistics.reconnects == 0, "\(name)")
            await calls.close()
        }

        @Test(
            "a subscription goes on over the next connection, and runs no longer than its reader",
            arguments: ForeignPeer.graphs
        )
        func resumes(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            let calls = Calls(socket) { $0.id }
            var numbers: [Int?] = []
            // What the server says behind its first number, and before it knows of the break, may be lost.
            for try await frame in subscribe(calls, "1", "subscription { prices }") {
                numbers.append(frame.number("prices"))
                if numbers.last == 3 { break }
            }
            #expect(numbers.first == 1 && numbers.last == 3, "\(name): \(numbers)")
            #expect(numbers.filter { $0 == 2 }.count <= 2, "\(name): \(numbers)")
            #expect(socket.statistics.reconnects == 1, "\(name)")
            var running: Int?
            var asked = 0
            repeat {
                asked += 1
                running = try await subscribe(calls, "r\(asked)", "{ running }").collect().first?.number("running")
            } while running != 0
            await calls.close()
        }

        @Test("pings of this side get their pong", arguments: ForeignPeer.graphs)
        func pings(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let socket = try await open(peer)
            try await socket.send(GraphFrame("ping"))
            var frames = socket.makeAsyncIterator()
            #expect(try await frames.next()?.type == "pong", "\(name)")
            await socket.close()
        }

        @Test("a refused token is renewed once where the server says 4403", arguments: ForeignPeer.graphs)
        func token(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let asked = Locked(0)
            let opening = { () async throws in try await open(peer) { asked.next() == 2 ? "right" : "old" } }
            if name == "ariadne" {
                // It closes with 1000 whatever `on_connect` throws: nothing says that it is the token.
                let (error, cause) = await socketFailure { _ = try await opening() }
                #expect(error?.code == .reportedByServer && cause?.close?.code == .normal)
                #expect(asked.withLock(\.self) == 1)
            } else {
                let socket = try await opening()
                #expect(asked.withLock(\.self) == 2 && socket.state == .open)
                await socket.close()
            }
        }

        @Test("what the protocol forbids ends with the code that says so", arguments: ForeignPeer.graphs)
        func forbidden(_ name: String) async throws {
            let peer = try ForeignPeer(name)
            let early = GraphFrame("subscribe", "1", ["query": "{ running }"])
            let options = SocketOptions { $0.protocols = [Self.name] }
            let bare: Chain<Void, Socket<GraphFrame, GraphFrame>> = UrlChainsBuilder<String>(client: Client(seed: 1))
                .route(.get, peer.url).socket(reading: .json, writing: .json, options)
            let early4401 = try await bare.process()
            try await early4401.send(early)
            let (_, cause) = await socketFailure { _ = try await early4401.collect() }
            #expect(cause?.close?.code == 4401, "\(name)")
            let twice = try await open(peer)
            for _ in 0..<2 {
                let query: Json = ["query": "subscription { count(to: 100000) }"]
                try await twice.send(GraphFrame("subscribe", "1", query))
            }
            let (error, second) = await socketFailure { for try await _ in twice {} }
            #expect(error?.code == .reportedByServer && second?.close?.code == 4409, "\(name)")
        }
    }

    extension GraphFrame {
        /// The first value of the data.
        fileprivate func number(_ field: String) -> Int? { payload?["data"]?[field]?.int }
    }
#endif

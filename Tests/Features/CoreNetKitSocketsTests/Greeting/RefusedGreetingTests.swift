import CoreNetKitSockets
import TestSupport

@Suite("Greetings of sockets that are refused", .timeLimit(.minutes(10)), .paced)
struct RefusedGreetingTests {
    private struct Refusal: Error, Equatable { let word: String }

    private func texts(_ stage: Stage) -> Chain<Void, Socket<String, String>> {
        stage.builder.socket(reading: .text, writing: .text, Stage.options)
            .greeting { greeting in
                try await greeting.send("init")
                try await greeting.reply { $0 == "ack" }
            }
            .reconnecting { $0.code == 4403 ? .renewToken : $0.code == 4400 ? .giveUp : nil }
    }

    private static func refuse(_ code: UInt16, after word: String? = nil) -> Stage.Script {
        { peer in
            try await peer.expect(text: "init")
            if let word { peer.send(text: word) }
            peer.close(code)
            try await peer.expectClose()
        }
    }

    /// Takes the greeting, and breaks.
    private static let brief: Stage.Script = { peer in
        try await peer.expect(text: "init")
        peer.send(text: "ack")
        peer.drop()
    }

    /// A client whose token counts its renewals, and the tokens that its servers got.
    private func stage(_ way: Stage.Way, _ scripts: Stage.Script...) throws -> (Stage, Locked<[String?]>) {
        let seen = Locked<[String?]>([])
        let watched = scripts.map { script -> Stage.Script in
            { peer in
                seen.withLock { $0.append(peer.headers["Authorization"]) }
                try await script(peer)
            }
        }
        return (try Stage(way, client: { $0.authorize(.counting()) }, scripts: watched), seen)
    }

    @Test(
        "by a code that means a new token are said once more with it, and then again for each connection",
        arguments: Stage.Way.allCases
    )
    func renewed(_ way: Stage.Way) async throws {
        let last: Stage.Script = { peer in
            try await peer.expect(text: "init")
            peer.send(text: "ack")
            peer.send(text: "one")
            try await peer.expectClose()
        }
        let (stage, tokens) = try stage(way, Self.refuse(4403), Self.brief, Self.refuse(4403), last)
        let socket = try await texts(stage).process()
        for _ in 0..<2 { try await stage.connectAgain(socket) }
        #expect(try await socket.next() == "one")
        await socket.close()
        #expect(tokens.withLock { $0 } == ["Bearer 1", "Bearer 2", "Bearer 2", "Bearer 3"])
    }

    @Test("again with the new token, or by any other code, fail the call with the code")
    func refused() async throws {
        for (code, count) in [(4403, 2), (4400, 1), (1000, 1), (1013, 1)] as [(UInt16, Int)] {
            let (stage, tokens) = try stage(.mock, Self.refuse(code))
            let (error, cause) = await socketFailure { _ = try await texts(stage).process() }
            #expect(error?.code == .reportedByServer && cause?.close?.code.rawValue == code)
            #expect(tokens.withLock { $0.count } == count)
        }
    }

    @Test("over a later connection end the socket or not by the rules for closes, and the state has the code")
    func refusedLater() async throws {
        // A message that is no reply is no sign that the server takes the socket.
        for (code, count, word) in [
            (4400, 2, nil), (4000, 2, nil), (1000, 2, nil), (1013, 4, nil), (1013, 4, "wait"),
        ] as [(UInt16, Int, String?)] {
            let (stage, tokens) = try stage(.mock, Self.brief, Self.refuse(code, after: word))
            let socket = try await texts(stage).process()
            let reading = Task { await socketFailure { _ = try await socket.collect() } }
            for _ in 1..<count { try await stage.connectAgain(socket) }
            let (error, cause) = await reading.value
            #expect(error?.code == .reportedByServer && cause?.close?.code.rawValue == code)
            #expect(socket.state == .closed(SocketClose(.init(rawValue: code), isFromPeer: true)))
            #expect(tokens.withLock { $0.count } == count)
        }
    }

    @Test("by a broken connection, a broken protocol, a message or the closure itself say which it was")
    func errors() async throws {
        let cases: [(@Sendable (SocketPeer) -> Void, NetworkError.Code)] = [
            ({ $0.drop() }, .connectionLost), ({ $0.end() }, .connectionLost),
            ({ $0.send(bytes: Data([0xFF, 0])) }, .invalidResponse), ({ $0.send(data: Data([1])) }, .decodingFailed),
            ({ $0.send(text: "error") }, .reportedByServer), ({ $0.send(text: "no") }, .nodeFailed),
        ]
        for (send, code) in cases {
            let stage = try Stage(.mock) { peer in
                send(peer)
                _ = try await peer.message()
            }
            let chain: Chain<Void, Socket<String, String>> = stage.builder.socket(reading: .text, writing: .text)
                .failing { $0 == "error" ? Refusal(word: $0) : nil }
                .greeting { greeting in
                    try await greeting.reply { word in
                        if word == "no" { throw Refusal(word: word) }
                        return word == "ack"
                    }
                }
            await expectFailure(code) { _ = try await chain.process() }
        }
    }

    @Test(
        "by nothing: unreadable messages are left out where that is asked for, and first messages follow the greeting"
    )
    func skipping() async throws {
        let stage = try Stage(.mock) { peer in
            try await peer.expect(text: "init")
            peer.send(data: Data([1]))
            try await peer.expectQuiet()
            peer.send(text: "ack")
            try await peer.expect(text: "from 0")
            peer.send(text: "one")
            try await peer.expectClose()
        }
        let socket = try await texts(stage).skippingUnreadable().resuming { ["from \($0.reconnects)"] }.process()
        var messages = socket.makeAsyncIterator()
        #expect(try await messages.next() == "one")
        #expect(socket.statistics.skipped == 1)
        await socket.close()
    }
}

import TestSupport

@Suite("Every transport: deliveries and limits", .timeLimit(.minutes(10)), .paced)
struct DeliveryTests {
    static let content = Data.numbered(400_000)

    @Test("collects up to the limit and not a byte more", arguments: Subject.all)
    func limit(_ subject: Subject) async throws {
        for body in [
            LoopbackResponse.Body.data(Self.content), .chunks([Self.content.prefix(9), Self.content.dropFirst(9)]),
        ] {
            let peer = try Peer(subject, LoopbackResponse(body: body))
            let response = try await peer.send(delivery: .collect(limit: Self.content.count))
            #expect(response.body.data == Self.content)
            let error = await #expect(throws: TransportError.self) {
                try await peer.send(delivery: .collect(limit: Self.content.count - 1))
            }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.message.contains("\(Self.content.count - 1)") == true)
            #expect(await Outcome { try await peer.send(delivery: .collect(limit: 0)) } == .failure(.responseTooLarge))
        }
        let empty = try Peer(subject, .ok)
        #expect(try await empty.send(delivery: .collect(limit: 0)).body.data == Data())
    }

    @Test("discards the content of a 2xx to its end, and collects any other", arguments: Subject.all)
    func discard(_ subject: Subject) async throws {
        for status in [200, 206, 299, 300, 404] {
            let peer = try Peer(subject, LoopbackResponse(status: status, body: .data(Self.content)))
            let response = try await peer.send(delivery: .discard)
            #expect(response.status == status)
            #expect(response.body.data == (status >= 300 ? Self.content : Data()))
        }
    }

    @Test("returns the chunks of a stream in order, and its end again and again", arguments: Subject.all)
    func stream(_ subject: Subject) async throws {
        let chunks = [Self.content.prefix(70_000), Self.content.dropFirst(70_000)]
        let peer = try Peer(subject, LoopbackResponse(status: 404, body: .chunks(chunks)))
        let response = try await peer.send(delivery: .stream)
        #expect(response.status == 404)
        let stream = try response.stream()
        var found = Data()
        for try await chunk in stream {
            #expect(!chunk.isEmpty)
            found.append(chunk)
        }
        #expect(found == Self.content)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
    }

    @Test("returns a stream when the head is there, before the content is", arguments: Subject.wires)
    func early(_ subject: Subject) async throws {
        let gate = LoopbackGate()
        let peer = try Peer(subject, .text("0123456789").fault(.stall(.inBody(5), until: gate)))
        var iterator = try await peer.send(delivery: .stream).stream().makeAsyncIterator()
        #expect(try await iterator.next() == Data("01234".utf8))
        gate.open()
        #expect(try await iterator.next() == Data("56789".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test("gives a slow reader the whole content, in bounded memory", arguments: Subject.wires)
    func slowReader(_ subject: Subject) async throws {
        let piece = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0) })
        let pieces = 120
        let made = LoopbackGate()
        let reply = LoopbackResponse.stream(length: piece.count * pieces) { index in
            if index == pieces { made.open() }
            return index < pieces ? piece : nil
        }
        let peer = try Peer(subject, reply)
        var iterator = try await peer.send(delivery: .stream).stream().makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        // Where there is no back-pressure, the server gets rid of all of it while nobody reads.
        if subject.differs(.backPressure) { try await made.wait() }
        while let chunk = try await iterator.next() {
            #expect(chunk.first == UInt8(truncatingIfNeeded: count))
            count += chunk.count
        }
        #expect(count == piece.count * pieces)
    }

    @Test("slows the server down while nothing is read", arguments: Subject.wires.filter { !$0.differs(.backPressure) })
    func backPressure(_ subject: Subject) async throws {
        let sent = Locked(0)
        let reply = LoopbackResponse.stream { _ in
            sent.withLock { $0 += 1 << 20 }
            return Data(count: 1 << 20)
        }
        let peer = try Peer(subject, reply)
        let response = try await peer.send(delivery: .stream)
        // Another exchange on the same transport is not held up meanwhile.
        let other = try Peer(subject, .text("fine"))
        for _ in 0..<20 { #expect(try await other.outcome() == .response(200, "fine")) }
        // What the buffers of both sockets take, and no more.
        #expect(sent.value < 64 << 20)
        withExtendedLifetime(response) {}
    }

    @Test("writes a file, whole or not at all", arguments: Subject.all)
    func file(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        let file = try directory.file(Data("old".utf8), name: "out")
        let peer = try Peer(subject, .data(Self.content))
        let response = try await peer.send(delivery: .file(file))
        if case .file(file) = response.body {} else { Issue.record("\(response.body)") }
        #expect(try Data(contentsOf: file) == Self.content)
        #expect(directory.names == ["out"])
    }

    @Test("leaves the old file and nothing else after a failure", arguments: Subject.wires)
    func fileFailure(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        let file = try directory.file(Data("old".utf8), name: "out")
        let broken = try Peer(subject, .data(Self.content).fault(.reset(.inBody(200_000))))
        #expect(await Outcome { try await broken.send(delivery: .file(file)) } == .failure(.connectionLost))
        let stalled = try Peer(subject, .data(Self.content).fault(.stall(.inBody(200_000))))
        let call = Task { await Outcome { try await stalled.send(delivery: .file(file)) } }
        try await stalled.server().wait { $0.stalls == 1 }
        call.cancel()
        #expect(await call.value == .cancelled)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(directory.names == ["out"])
    }

    @Test("collects what is not 2xx, so that its error can be read", arguments: Subject.all)
    func fileOfError(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        for status in [301, 404, 500] {
            let peer = try Peer(subject, .text("why", status: status).header("Location", "/x"))
            let response = try await peer.send(delivery: .file(directory["out"]))
            #expect(response.body.data == Data("why".utf8))
        }
        #expect(directory.names.isEmpty)
    }

    @Test("fails if the file cannot be written", arguments: Subject.all)
    func unwritable(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        let peer = try Peer(subject, .data(Self.content))
        let missing = directory["no/such/out"]
        #expect(await Outcome { try await peer.send(delivery: .file(missing)) } == .failure(.fileFailed))
        #expect(directory.names.isEmpty)
    }
}

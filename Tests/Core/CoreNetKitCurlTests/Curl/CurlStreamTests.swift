#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: streamed and saved responses", .timeLimit(.minutes(10)), .paced)
    struct CurlStreamTests {
        private let transport = CurlTransport()

        @Test("a broken transfer throws after the bytes that arrived")
        func broken() async throws {
            let server = try LoopbackServer { _ in .text("0123456789").fault(.close(.inBody(5))) }
            let stream = try await transport.stream(TransportRequest(url: server.url("/")))
            var text = Data()
            let error = await #expect(throws: TransportError.self) { for try await chunk in stream { text += chunk } }
            #expect(error?.code == .connectionLost && error?.phase == .receive)
            #expect(text == Data("01234".utf8))
            #expect(stream.ending == nil)
        }

        @Test("a stream outlives its transport")
        func outlives() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .data(Data(count: 5_000_000)) }
            var transport: CurlTransport? = CurlTransport()
            let request = TransportRequest(url: server.url("/"), delivery: .stream)
            let response = try await transport?.send(request)
            transport = nil
            #expect(try await response?.body.collect().count == 5_000_000)
        }

        @Test("a file that cannot be created fails before anything is sent; a directory in its place stays alone")
        func fileRefused() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(at: folder["taken"], withIntermediateDirectories: true)
            for (place, count) in [(URL(filePath: "/nonexistent/file"), 0), (folder["taken"], 1)] {
                let request = TransportRequest(url: server.url("/"), delivery: .file(place))
                #expect(await transport.error(of: request)?.code == .fileFailed)
                #expect(server.requests.count == count)
            }
            #expect(folder.names == ["taken"])
        }
    }

    @Suite("A reader that is parked at a pipe", .timeLimit(.minutes(10)), .paced)
    struct ChunkPipeTests {
        private let pipe = ChunkPipe()
        private let wakes = Locked(0)

        private func park() -> Bool { pipe.registerWaker { [wakes] in wakes.withLock { $0 += 1 } } }

        /// What is there: the end is `.some(nil)`.
        private func take() throws -> Data?? {
            guard let result = pipe.take(hasRoom: {}) else { return .none }
            return .some(try result.get())
        }

        @Test("is woken once by what comes, however much that is")
        func woken() throws {
            #expect(try take() == .none)
            #expect(park())
            #expect(wakes.withLock { $0 } == 0)
            #expect(pipe.deliver(Data([1])) == 1)
            #expect(pipe.deliver(Data([2])) == 2)
            #expect(wakes.withLock { $0 } == 1)
            #expect(try take() == .some(Data([1])))
            #expect(try take() == .some(Data([2])))
            #expect(try take() == .none)
        }

        @Test("is not parked, nor woken, where there is something already, the end too")
        func something() throws {
            _ = pipe.deliver(Data([1]))
            #expect(!park())
            #expect(try take() == .some(Data([1])))
            pipe.finish(nil)
            #expect(!park())
            #expect(try take() == .some(nil))
            #expect(wakes.withLock { $0 } == 0)
        }

        @Test("is woken by the end, and finds it with its error", arguments: [true, false])
        func end(isFailure: Bool) throws {
            #expect(park())
            pipe.finish(isFailure ? CurlFailure.shutDown : nil)
            pipe.finish(nil)
            #expect(wakes.withLock { $0 } == 1)
            if isFailure {
                #expect(throws: (any Error).self) { try take() }
            } else {
                #expect(try take() == .some(nil))
            }
        }

        @Test("finds everything in order, whenever it comes")
        func order() async throws {
            let count = 20_000
            let source = Task.detached { [pipe] in
                for number in 0..<count { _ = pipe.deliver(Data([UInt8(truncatingIfNeeded: number)])) }
                pipe.finish(nil)
            }
            var found = 0
            reading: while true {
                switch try take() {
                case .some(let bytes?):
                    #expect(bytes.first == UInt8(truncatingIfNeeded: found))
                    found += 1
                case .some(nil): break reading
                case .none:
                    await withUnsafeContinuation { continuation in
                        if !pipe.registerWaker({ continuation.resume() }) { continuation.resume() }
                    }
                }
            }
            #expect(found == count)
            await source.value
        }
    }
#endif

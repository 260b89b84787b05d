#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: uploads", .timeLimit(.minutes(10)), .paced)
    struct CurlUploadTests {
        private let transport = CurlTransport()

        static let sizes = [[], [1], [0, 3, 0], [100_000, 1, 300_000], Array(repeating: 50_000, count: 60)]

        @Test("sends a sequence chunked, or with its length", arguments: sizes, [true, false])
        func stream(sizes: [Int], hasLength: Bool) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let chunks = sizes.enumerated().map { Data(repeating: UInt8($0.offset), count: $0.element) }
            let length = Int64(sizes.reduce(0, +))
            let body = RequestBody.chunks(chunks, length: hasLength ? length : nil)
            let response = try await transport.send(TransportRequest(method: .post, url: server.url("/"), body: body))
            #expect(response.status == 200)
            let received = try #require(server.requests.first)
            #expect(received.body == chunks.reduce(Data(), +))
            #expect(received.headers["Content-Length"] == (hasLength ? "\(length)" : nil))
            #expect(received.headers["Transfer-Encoding"] == (hasLength ? nil : "chunked"))
            #expect(received.headers["Expect"] == nil)
        }

        @Test("a sequence that breaks its promised length fails", arguments: [[3], [3, 3], [5, 1], []])
        func mismatch(sizes: [Int]) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let body = RequestBody.chunks(sizes.map { Data(repeating: 1, count: $0) }, length: 5)
            let error = await transport.error(of: TransportRequest(method: .put, url: server.url("/"), body: body))
            #expect(error?.code == .bodyLengthMismatch)
            #expect(server.requests.isEmpty)
        }

        @Test(
            "a file that becomes longer or shorter while it is sent fails the request",
            arguments: [30_000_001, 29_999_999]
        )
        func changingFile(size: Int) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.file(Data())
            truncate(file.path, 30_000_000)
            // The first bytes are read before the server has asked for any, and the last ones behind that.
            let server = try LoopbackServer()
            server.onHead(.put, "/") { _ in
                truncate(file.path, off_t(size))
                return nil
            }
            let request = TransportRequest(method: .put, url: server.url("/"), body: .file(file))
            #expect(await transport.error(of: request)?.code == .bodyLengthMismatch)
        }

        @Test("a sequence is read no faster than the server reads, and stopped when the call ends")
        func bounded() async throws {
            let server = try LoopbackServer(bodyLimit: 0)
            server.onHead(.post, "/") { _ in .text("no", status: 413).closing() }
            let given = Locked(0)
            let body = RequestBody.pieces { _ in
                if Task.isCancelled { return nil }
                _ = given.next()
                return Data(repeating: 1, count: 65536)
            }
            let request = TransportRequest(method: .post, url: server.url("/"), body: body)
            let response = try? await transport.send(request)
            #expect(response == nil || response?.status == 413)
            #expect(given.value < 1000)
        }

        @Test("a replayable sequence is opened again if a kept connection was dead; others are not")
        func replay() async throws {
            for isReplayable in [true, false] {
                let server = try LoopbackServer { request in
                    request.index == 1 ? .text("x").fault(.reset(.beforeStatus)) : .text("ok")
                }
                let transport = CurlTransport()
                _ = try await transport.send(TransportRequest(url: server.url("/")))
                let opened = Locked(0)
                let abc = [Data("abc".utf8)]
                let body = RequestBody.chunks(abc, length: 3, isReplayable: isReplayable, opened: opened)
                let request = TransportRequest(method: .put, url: server.url("/"), body: body)
                if isReplayable {
                    #expect(try await transport.send(request).status == 200)
                    #expect(server.requests.last?.body == Data("abc".utf8))
                } else {
                    let error = await transport.error(of: request)
                    #expect(error?.code == .connectionLost && error?.isSafeToResend == false)
                }
                #expect(opened.value == (isReplayable ? 2 : 1))
            }
        }
    }
#endif

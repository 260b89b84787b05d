#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: what an upload leaves behind", .timeLimit(.minutes(10)), .paced)
    struct UploadReleaseTests {
        /// Counts releases, and on which threads they happened.
        private final class Releases: Sendable {
            private let threads = Locked<[String]>([])
            var names: [String] { threads.withLock { $0 } }

            func note() {
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                threads.withLock { $0.append((name ?? "").trimmingCharacters(in: .newlines)) }
            }

            /// Bytes whose deallocator reports here.
            func data(_ count: Int) -> Data {
                let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
                bytes.initializeMemory(as: UInt8.self, repeating: 7, count: count)
                return Data(
                    bytesNoCopy: bytes,
                    count: count,
                    deallocator: .custom { pointer, _ in
                        self.note()
                        pointer.deallocate()
                    }
                )
            }
        }

        private static let size = 100_000

        @Test("bytes are released when the call returns, and not on the owner thread", arguments: [1, 1000])
        func bytes(count: Int) async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let transport = CurlTransport()
            let releases = Releases()
            for _ in 0..<count {
                let body = RequestBody.bytes(releases.data(Self.size))
                _ = try await transport.send(TransportRequest(method: .put, url: server.url("/"), body: body))
            }
            #expect(releases.names.count == count)
            #expect(!releases.names.contains("CurlTransport"))
        }

        @Test("a sequence's chunks, sent or abandoned, are not released on the owner thread")
        func chunks() async throws {
            let server = try LoopbackServer(recording: .off)
            server.on(.put, "/", .text("ok"))
            server.onHead(.put, "/refused") { _ in .text("no", status: 413).closing() }
            let transport = CurlTransport()
            let releases = Releases()
            let opened = Locked(0)
            for path in ["/", "/", "/refused", "/refused"] {
                let body = RequestBody.stream {
                    AsyncThrowingStream { continuation in
                        opened.withLock { $0 += 1 }
                        for _ in 0..<20 { continuation.yield(releases.data(Self.size)) }
                        continuation.finish()
                    }
                }
                _ = try? await transport.send(TransportRequest(method: .put, url: server.url(path), body: body))
            }
            await transport.shutdown()
            while releases.names.count < opened.withLock({ $0 }) * 20 { await Task.yield() }
            #expect(!releases.names.contains("CurlTransport"))
        }

        @Test("no code of the sequence runs on the owner thread when the call is cancelled")
        func termination() async throws {
            let server = try LoopbackServer(bodyLimit: 0)
            let transport = CurlTransport()
            let releases = Releases()
            let body = RequestBody.stream {
                AsyncThrowingStream { continuation in
                    continuation.onTermination = { _ in releases.note() }
                    continuation.yield(Data(count: 10))
                }
            }
            let request = TransportRequest(method: .put, url: server.url("/"), body: body)
            let call = Task { try await transport.send(request) }
            try await server.wait { $0.connections == 1 }
            call.cancel()
            _ = await call.result
            while releases.names.isEmpty { await Task.yield() }
            #expect(!releases.names.contains("CurlTransport"))
        }

        @Test("a burst of finished uploads leaves no descriptor behind")
        func files() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.file(Data(count: Self.size))
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let transport = CurlTransport()
            let request = TransportRequest(method: .put, url: server.url("/"), body: .file(file))
            try await concurrently(100) { _ in _ = try await transport.send(request) }
            #expect(try open(file) == 0)
        }

        private func open(_ file: URL) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                return place == file.path
            }
        }

        @Test("only a file URL names a file", arguments: ["https://example.org", "http://localhost"])
        func fileURL(base: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.file(Data("secret".utf8))
            let server = try LoopbackServer { _ in .text("ok") }
            let body = RequestBody.file(url(base + file.path))
            let error = await CurlTransport().error(of: .init(method: .put, url: server.url("/"), body: body))
            #expect(error?.code == .requestBodyFailed)
            #expect(server.counts.connections == 0)
        }
    }

    @Suite("Curl: a slow disk", .timeLimit(.minutes(10)), .paced)
    struct SlowDiskTests {
        @Test("delays its own exchanges and no others, in either direction")
        func others() async throws {
            let folder = try TemporaryFolder()
            let content = Data.numbered(1_000_000)
            let file = try folder.file(content)
            let server = try LoopbackServer { request in
                request.method == .put ? .text("\(request.body == content)") : .data(content)
            }
            let transport = CurlTransport()
            let saved = folder["saved"]
            let download = Task {
                try await transport.send(TransportRequest(url: server.url("/"), delivery: .file(saved)))
            }
            let upload = Task {
                try await transport.send(TransportRequest(method: .put, url: server.url("/"), body: .file(file)))
            }
            // The disk is busy until the others are done.
            let disk = DispatchSemaphore(value: 0)
            let isBusy = Task { await transport.files.run { disk.wait() } }
            for _ in 0..<20 {
                #expect(try await transport.send(TransportRequest(url: server.url("/"))).body.data == content)
            }
            disk.signal()
            await isBusy.value
            #expect(try await upload.value.body.data == Data("true".utf8))
            #expect(try await download.value.status == 200)
            #expect(try Data(contentsOf: saved) == content)
        }
    }
#endif

#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: a slow disk", .timeLimit(.minutes(10)), .paced)
    struct SlowDiskTests {
        @Test("delays its own exchanges and no others, in either direction")
        func others() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "slow-\(UUID().uuidString)")
            let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            try content.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let server = try LoopbackServer { request in
                request.method == .put ? .text("\(request.body == content)") : .data(content)
            }
            let transport = CurlTransport()
            let saved = file.appendingPathExtension("saved")
            defer { try? FileManager.default.removeItem(at: saved) }
            let download = Task {
                try await transport.send(TransportRequest(url: server.url("/"), delivery: .file(saved)))
            }
            let upload = Task {
                try await transport.send(TransportRequest(method: .put, url: server.url("/"), body: .file(file)))
            }
            // The disk is busy until the others are done.
            let disk = DispatchSemaphore(value: 0)
            let isBusy = Task { try await transport.files.run { disk.wait() } }
            for _ in 0..<20 {
                #expect(try await transport.send(TransportRequest(url: server.url("/"))).body.data == content)
            }
            disk.signal()
            try await isBusy.value
            #expect(try await upload.value.body.data == Data("true".utf8))
            #expect(try await download.value.status == 200)
            #expect(try Data(contentsOf: saved) == content)
        }
    }
#endif

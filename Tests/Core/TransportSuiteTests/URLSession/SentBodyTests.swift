import CoreNetKitURLSession
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLSession: a completely sent body", .timeLimit(.minutes(10)), .paced)
struct SentBodyTests {
    @Test("is not what the exchange waits for if no response comes")
    func phase() async throws {
        let server = try LoopbackServer { _ in .status(200).fault(.stall(.beforeStatus)) }
        var request = TransportRequest(method: .post, url: server.url("/slow"), body: .bytes(Data("content".utf8)))
        // On a busy machine the body may not be sent within the first limit.
        let error = await withLongerLimits(until: { (error: TransportError?) in error?.phase == .wait }) { limit in
            request.timeouts.total = limit
            do {
                _ = try await URLSessionTransport().send(request)
                return nil
            } catch {
                return error as? TransportError
            }
        }
        #expect(error?.code == .timedOut && error?.phase == .wait)
    }

    #if os(Linux)
        @Test("of a URLRequest has a file's length only if the file says it")
        func unsized() async throws {
            let url = try #require(URL(string: "http://a.test/"))
            let version = URL(fileURLWithPath: "/proc/version")
            let request = try await URLRequest(TransportRequest(method: .put, url: url, body: .file(version)))
            #expect(request.httpBodyStream != nil && request.value(forHTTPHeaderField: "Content-Length") == nil)
        }
    #endif
}

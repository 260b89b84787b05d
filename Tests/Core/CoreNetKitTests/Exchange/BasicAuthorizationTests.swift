import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Name and password with the Basic scheme", .timeLimit(.minutes(10)), .paced)
struct BasicAuthorizationTests {
    let requests = Recorder<TransportRequest>()

    private func send(user: String, password: String) async throws {
        let client = Client(transport: requests.transport())
        try await UrlChainsBuilder<String>(client: client)
            .authorize(user: user, password: password)
            .route(.get, "http://a.test/")
            .build()
            .process()
    }

    @Test("are sent unchanged, whatever the password contains")
    func sent() async throws {
        try await send(user: "Aladdin", password: "open: sesame")
        #expect(requests.values.map { $0.headers["Authorization"] } == ["Basic QWxhZGRpbjpvcGVuOiBzZXNhbWU="])
    }

    @Test("a name with a colon would mean another one to the server (RFC 7617, 2): the call fails, and nothing is sent")
    func colon() async throws {
        let error = await #expect(throws: NetworkError.self) { try await send(user: "a:b", password: "secret") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("colon") == true)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        #expect(requests.values.isEmpty)
    }

    @Test(
        "control characters are in neither (RFC 7617, 2): the call fails, and nothing is sent",
        arguments: ["\n", "\r", "\u{0}", "\t", "\u{7F}"]
    )
    func controls(character: String) async throws {
        for (user, password) in [("a\(character)b", "secret"), ("a", "secret\(character)")] {
            let error = await #expect(throws: NetworkError.self) { try await send(user: user, password: password) }
            #expect(error?.code == .invalidRequest)
            #expect(error.map { "\($0)" }?.contains("secret") == false)
        }
        #expect(requests.values.isEmpty)
        try await send(user: "ü\u{85}", password: "")
        #expect(requests.values.count == 1)
    }
}

import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitMock
import Foundation
import KorePushService
import PushRegistration
import PushServersMock
import TestPace
import TestSupport
import Testing

@Suite("What version 0.2 has stored of a device at Kore", .timeLimit(.minutes(10)), .paced)
struct EarlierStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("kore") }

    private static func push(_ kore: KorePushServer, _ file: URL, user: String = "u-1") throws
        -> KorePush
    {
        let transport = MockTransport { mock in
            mock.on(nil, "/**") { request in
                let reply = kore.respond(
                    method: request.method,
                    target: request.path,
                    headers: request.headers,
                    body: request.text
                )
                guard case .text(let text) = reply.body else { return .status(reply.status) }
                return .json(text, status: reply.status)
            }
        }
        return try KorePush(
            session: KoreSession(userID: user, accessToken: "of-\(user)"),
            configuration: KoreConfiguration(server: try #require(URL(string: "https://bots.example")), retry: nil),
            store: FileStore(file: file),
            client: Client(transport: transport)
        )
    }

    @Test("is read, sent where the network was away, and continued")
    func continues() async throws {
        let kore = KorePushServer(users: ["u-1": "of-u-1", "u-2": "of-u-2"])
        let push = try Self.push(kore, fixture["store.json"])
        let state = try await push.state()
        #expect(state.token == .first && !state.isComplete)
        try await push.flush()
        #expect(kore.devices(of: "u-1") == [KoreDeviceToken.first.hex])
        #expect(try await push.state().isComplete)
        _ = try await push.subscribe(.second)
        _ = try await Self.push(kore, fixture["store.json"], user: "u-2").subscribe(.first)
        #expect(kore.devices(of: "u-1") == [KoreDeviceToken.second.hex])
        #expect(try await Self.push(kore, fixture["store.json"]).state().token == .second)
        #expect(try await Self.push(kore, fixture["store.json"], user: "u-2").state().token == .first)
    }
}

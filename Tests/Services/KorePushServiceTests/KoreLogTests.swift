import KorePushService
import PushServersMock
import TestSupport

@Suite("Kore: log", .timeLimit(.minutes(10)), .paced)
struct KoreLogTests {
    static let device = KoreDeviceToken.token(String(repeating: "c0ffee", count: 10) + "badd")
    static let secrets = ["canary-old", "canary-new", "canary-message", device.hex]

    static let faults: [KorePushServer.Fault] = [
        .status(400, code: "INVALID_DEVICE"), .status(403), .status(500), .status(503), .html, .empty, .reset,
        .errorList(401, "canary-message \(device.hex)"), .errorList(500, "canary-message canary-old"),
        .content(#"{"status":false,"message":"canary-message \#(device.hex)"}"#),
        .content(#"{"status":"canary-message"}"#), .content("canary-message \(device.hex)"),
        .content(#"{"error":{"code":"X","message":"canary-message"}}"#), .lostResponse,
        .content(#"{"canary-message":"#),
    ]

    @Test("failures are logged without secrets, in every variant", arguments: faults)
    func canaries(_ fault: KorePushServer.Fault) async throws {
        for format in [KoreConfiguration.RequestFormat.json, .alamofire, .postOverride] {
            let world = try KoreWorld()
            world.kore.renewToken(of: "u-1", "canary-old")
            let push = try world.push(token: "canary-old", requestFormat: format) { _ in AccessToken("canary-new") }
            var said: [String] = []
            world.kore.fail(fault, fault, fault, fault)
            for step in 0..<2 {
                let error = await koreFailure {
                    if step == 0 {
                        try await push.subscribe(Self.device)
                    } else {
                        try await push.unsubscribe(Self.device)
                    }
                }
                let described = try #require(error)
                var dumped = ""
                dump(described.code, to: &dumped)
                said += ["\(described)", described.localizedDescription, String(reflecting: described), dumped]
            }
            let trees = try await world.sink.waitForLogTrees(2)
            #expect(trees.allSatisfy { "\($0)".contains("failed") })
            said += trees.map { "\($0)" }
            for text in said {
                for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
            }
        }
    }

    @Test("a failure before anything is sent is logged too")
    func unsent() async throws {
        let world = try KoreWorld()
        let push = try world.push(token: "canary-old", expires: Date(timeIntervalSince1970: 0))
        _ = await koreFailure { try await push.subscribe(Self.device) }
        let tree = "\(try await world.sink.waitForLogTrees(1)[0])"
        #expect(tree.contains("tokenExpired"))
        for secret in Self.secrets { #expect(!tree.contains(secret)) }
    }
}

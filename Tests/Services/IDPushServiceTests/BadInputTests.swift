import IDPushService
import PushServersMock
import TestSupport

@Suite("IDPush and bad input", .timeLimit(.minutes(10)), .paced)
struct BadInputTests {
    @Test("a blank project id is missing", arguments: ["", "  \n", "\u{00A0}", "\u{200B}", "\u{FEFF}\t"])
    func projectID(_ text: String) {
        #expect(throws: IDPushError.missingProjectID) { try IDPush(IDPushConfiguration(projectID: text)) }
    }

    @Test(
        "the server is https, or on this machine",
        arguments: [
            ("https://push.example.com/v1", true), ("http://127.0.0.1:8080/", true), ("http://localhost/a", true),
            ("http://[::1]:80/", true), ("http://push.example.com", false), ("http://127.evil.test/", false),
            ("http://localhost.evil.test", false), ("ftp://127.0.0.1/", false), ("/api", false),
        ]
    )
    func baseURL(_ text: String, isFine: Bool) async {
        let refusal = await Rig.failure {
            _ = try IDPush(IDPushConfiguration(projectID: "p", baseURL: URL(string: text)), store: InMemoryStore())
        }
        #expect(refusal?.code == (isFine ? nil : .insecureURL))
    }

    @Test(
        "a token is hex of any length",
        arguments: [
            ("a1B2", "a1b2"), (" <a1b2 c3d4>\n", "a1b2c3d4"), (String(repeating: "0f", count: 100), nil),
        ] as [(String, String?)]
    )
    func tokens(_ text: String, hex: String?) throws {
        #expect(try PushToken(hex: text).hex == hex ?? text)
    }

    @Test(
        "an invalid token is refused before anything is stored or sent",
        arguments: [
            ("", .missingDeviceToken), (" \n", .missingDeviceToken), ("<>", .missingDeviceToken),
            ("abc", .invalidDeviceToken(.oddLength)), ("zz", .invalidDeviceToken(.notHex)),
            ("١٢", .invalidDeviceToken(.notHex)), ("a1,b2", .invalidDeviceToken(.notHex)),
            ("{length = 32, bytes = 0x0102}", .invalidDeviceToken(.debugDescription)),
            ("32 bytes", .invalidDeviceToken(.debugDescription)),
        ] as [(String, IDPushError)]
    )
    func noToken(_ text: String, error: IDPushError) async throws {
        let store = InMemoryStore()
        let rig = Rig(store: store)
        let push = try rig.service()
        #expect(throws: error) { try push.validate(.addDevice(token: text)) }
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: text)) } == error)
        #expect(rig.mock.requests.isEmpty)
        #expect(store.contents.isEmpty)
    }

    @Test("no bytes are no token")
    func noBytes() async throws {
        let push = try Rig().service()
        #expect(await Rig.failure { _ = try await push.addDevice(token: Data()) } == .missingDeviceToken)
    }

    static let manyTags = Dictionary(uniqueKeysWithValues: (1...101).map { ("t\($0)", TagValue.int($0)) })
    static let refused: [(IDPushAction, IDPushError)] =
        [
            (.setTags(tags: manyTags), .tooManyTags(101)),
            (.setTags(tags: ["a": .string(String(repeating: "x", count: 1024))]), .tagsTooLarge(bytes: 1032)),
            (.setTags(tags: [" ": 1]), .unsupportedValue(key: " ")),
            (.setTags(tags: ["a": 1, "b": .double(.nan)]), .unsupportedValue(key: "b")),
            (.editDevice(parameters: ["a": .double(.infinity)]), .unsupportedValue(key: "a")),
        ]
        + IDPushAction.reservedParameters.sorted().map {
            (.editDevice(parameters: ["language": "fa", $0: "x"]), .reservedParameter($0))
        }

    @Test("an action that cannot be sent is refused by name", arguments: refused)
    func refusedActions(_ action: IDPushAction, error: IDPushError) async throws {
        let (rig, push) = try await Rig.registered()
        #expect(throws: error) { try push.validate(action) }
        #expect(await Rig.failure { _ = try await push.perform(action) } == error)
        #expect(!push.hasPending)
        #expect(rig.mock.requests.count == 1)
    }

    @Test("a hundred tags go in one call, more that were combined in two")
    func chunks() async throws {
        let (rig, push) = try await Rig.registered()
        rig.server.fail(.reset)
        let first = Self.manyTags.filter { $0.key != "t101" }
        #expect(await Rig.failure { _ = try await push.setTags(first) } != nil)
        _ = try await push.setTags(["u1": 1, "u2": 2])
        #expect(rig.server.devices.first?.tags.count == 102)
        #expect(rig.mock.requests.count == 4)
        #expect(push.tags.count == 102)
    }

    @Test(
        "untyped values are accepted, or their key is named",
        arguments: [
            ("text", .string("text")), (5, .int(5)), (true, .bool(true)), (2.5, .double(2.5)),
            (UInt8(7), .int(7)), (Int?.none as any Sendable, .remove), (Int?.some(3) as any Sendable, .int(3)),
            (["nested"], .json(["nested"])), (["a": 1], .json(["a": 1])), (Date(), nil), (UInt64.max, nil),
            (Box(), nil), (Double.nan, nil),
        ] as [(any Sendable, TagValue?)]
    )
    func untyped(_ value: any Sendable, expected: TagValue?) throws {
        if let expected {
            #expect(try [String: TagValue](any: ["ok": 1, "bad": value]) == ["ok": 1, "bad": expected])
        } else {
            #expect(throws: IDPushError.unsupportedValue(key: "bad")) {
                try [String: TagValue](any: ["ok": 1, "bad": value])
            }
        }
    }

    final class Box: Sendable {}

    static let replies: [(IDPushServer.Fault, IDPushError)] = [
        (.html, .invalidResponse(.notJSON(status: 200))),
        (.errorObject, .invalidResponse(.missingField("status"))),
        (.missingPlayerID, .invalidResponse(.missingField("player_id"))),
        (.rejected("no"), .rejected(status: 200, message: "no")),
        (.status(401), .unauthorized(status: 401)), (.status(403), .unauthorized(status: 403)),
        (.status(400), .rejected(status: 400, message: "status 400")),
        (.status(404), .rejected(status: 404, message: "status 404")),
        (.status(422), .rejected(status: 422, message: "status 422")),
        (.status(500), .network(NetworkError(.internalServerError, "", node: "", response: refusal(500)))),
        (.status(503), .network(NetworkError(.unacceptableStatus, "", node: "", response: refusal(503)))),
        (.rateLimited(seconds: 3), .network(NetworkError(.unacceptableStatus, "", node: "", response: refusal(429)))),
        (.reset, .network(NetworkError(.connectionLost, "", node: ""))),
    ]

    static func refusal(_ status: Int) -> FailedResponse {
        FailedResponse(status: status, url: URL(filePath: "/"))
    }

    @Test("each bad response to a registration has its own error, and the next attempt registers", arguments: replies)
    func badReplies(_ fault: IDPushServer.Fault, error: IDPushError) async throws {
        let rig = Rig()
        let push = try rig.service()
        rig.server.fail(fault)
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) } == error)
        #expect(push.playerID == nil)
        #expect(try await push.perform(.addDevice(token: Rig.token)).playerID == Rig.firstID)
        #expect(rig.mock.requests.count == 2)
    }

    @Test("a status is read as number, Boolean and text", arguments: ["1", "true", "\"1\"", "1.0", "\"true\""])
    func lenientStatus(_ status: String) async throws {
        let mock = MockTransport()
        mock.on(.post, "/device/add", .json(#"{"status":\#(status),"player_id":" id-1 "}"#))
        let push = try Rig.service(Client(transport: mock))
        #expect(try await push.addDevice(token: Data([1])).playerID == "id-1")
    }

    @Test(
        "JSON of another shape is distinguished from invalid JSON",
        arguments: [
            ("[1]", .malformed), (#"{"status":{}}"#, .malformed), (#"{"status":1,"player_id":5}"#, .malformed),
            ("", .notJSON(status: 200)), ("{", .notJSON(status: 200)), ("{}", .missingField("status")),
            (#"{"status":1,"player_id":" "}"#, .missingField("player_id")),
        ] as [(String, IDPushError.Problem)]
    )
    func shapes(_ body: String, problem: IDPushError.Problem) async throws {
        let mock = MockTransport()
        mock.on(.post, "/device/add", .json(body))
        let push = try Rig.service(Client(transport: mock))
        #expect(await Rig.failure { _ = try await push.addDevice(token: Data([1])) } == .invalidResponse(problem))
        #expect(push.hasPending)
    }

    @Test("no description shows the token")
    func redaction() throws {
        let token = try PushToken(hex: Rig.token)
        let action = IDPushAction.addDevice(token)
        var dumped = ""
        dump(action, to: &dumped)
        dump(token, to: &dumped)
        for text in ["\(token)", "\(action)", String(reflecting: token), String(reflecting: action), dumped] {
            #expect(!text.contains(Rig.token) && !text.contains(Rig.token.suffix(8)))
        }
        #expect("\(token)" == "a1b2…")
    }

    @Test("no log shows the token, at the finest level")
    func log() async throws {
        let mock = MockTransport()
        mock.on(.post, "/device/add", .json(#"{"status":0,"message":"no"}"#))
        let sink = RecordingSink()
        let push = try Rig.service(Client(transport: mock).log(to: sink, level: .debug))
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) } != nil)
        let tree = try await sink.waitForLogTrees(1)[0]
        #expect(tree.lines.count > 3)
        #expect(!"\(tree)".contains(Rig.token))
    }
}

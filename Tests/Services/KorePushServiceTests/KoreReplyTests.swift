import KorePushService
import PushServersMock
import TestSupport

@Suite("Kore: responses", .timeLimit(.minutes(10)), .paced)
struct KoreReplyTests {
    private let world: KoreWorld

    init() throws { world = try KoreWorld() }

    @Test(
        "a success status with JSON that reports no failure is a success",
        arguments: [
            #"{"status":true}"#, #"{"status":1}"#, #"{"status":1.0}"#, #"{"status":"1"}"#, #"{"status":"true"}"#,
            #"{"success":true,"message":"Device Subscribed","deviceDetails":{"status":"Subscribed"}}"#,
            #"{"success":"Yes"}"#, #"{"status":true,"error":null}"#, #"{"status":null,"success":true}"#, "{}", "[]",
            "null", " null\n",
            "true", #"{"errors":[]}"#, #"{"error":false,"status":true}"#, #"{"status":true,"error":""}"#,
            #"{"status":true,"error":{}}"#, #"{"status":true,"error":0}"#,
            #"{"status":true,"error":" ","errors":[""]}"#,
        ]
    )
    func success(_ body: String) async throws {
        world.kore.fail(.content(body))
        try await world.push().subscribe(.first)
        #expect(try await world.push().state().isSubscribed)
    }

    @Test("the other form and no content are successes, and the message is kept")
    func otherForms() async throws {
        world.kore.fail(.publicForm, .noContent)
        let push = try world.push()
        let subscription: KoreSubscription = try await push.subscribe(.first)
        #expect(subscription.message == "Device Subscribed")
        try await push.unsubscribe(.first)
        #expect(world.kore.exchanges.map(\.status) == [200, 204])
    }

    @Test(
        "a success status with JSON that reports a failure is a refusal that keeps code and message",
        arguments: [
            (#"{"status":false}"#, nil, nil), (#"{"status":0}"#, nil, nil), (#"{"status":"0"}"#, nil, nil),
            (#"{"success":false,"message":"quota"}"#, nil, "quota"), (#"{"status":true,"success":false}"#, nil, nil),
            (#"{"error":{"code":"E1","message":"no"}}"#, "E1", "no"),
            (#"{"status":true,"error":{"code":7,"message":"no"}}"#, "7", "no"),
            (#"{"errors":[{"msg":"bad"}]}"#, nil, "bad"), (#"{"errors":["bad"]}"#, nil, "bad"),
            (#"{"error":"bad"}"#, nil, "bad"), (#"{"error":null,"errors":[{"code":"E2","msg":"no"}]}"#, "E2", "no"),
            (#"{"status":true,"error":"","errors":["bad"]}"#, nil, "bad"),
        ] as [(String, String?, String?)]
    )
    func rejected(_ body: String, _ code: String?, _ message: String?) async throws {
        world.kore.fail(.content(body))
        let error = await koreFailure { try await world.push().subscribe(.first) }
        #expect(error?.code == .rejected)
        #expect(error?.serverCode == code)
        #expect(error?.serverMessage == message)
        #expect(error?.status == 200)
        #expect(try await world.push().state().isSubscribed == false)
    }

    @Test(
        "what does not follow the protocol is an invalid response",
        arguments: [
            .html, .empty, .content("ok"), .content(#"{"status":tru"#), .content(#"{"status":"maybe"}"#),
            .content(#"{"status":{}}"#),
        ] as [KorePushServer.Fault]
    )
    func invalid(_ fault: KorePushServer.Fault) async throws {
        world.kore.fail(fault)
        let error = await koreFailure { try await world.push().subscribe(.first) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == 200)
    }

    @Test(
        "both shapes of errors keep status, code and message",
        arguments: [
            (.status(400, code: "INVALID_DEVICE"), .badRequest, 400, "INVALID_DEVICE", "refused: INVALID_DEVICE"),
            (.errorList(422, "no such type"), .badRequest, 422, nil, "no such type"),
            (.errorList(401, "jwt"), .unauthorized, 401, nil, "jwt"),
            (.status(403, code: "F"), .forbidden, 403, "F", "refused: F"),
            (.status(404, code: "USER_NOT_FOUND"), .notFound, 404, "USER_NOT_FOUND", "refused: USER_NOT_FOUND"),
            (.status(409, code: "C"), .unexpectedStatus, 409, "C", "refused: C"),
            (.status(429, code: "R"), .tooManyRequests, 429, "R", "refused: R"),
            (.status(500, code: "S"), .serverError, 500, "S", "refused: S"),
            (.status(503, code: "U"), .serverUnavailable, 503, "U", "refused: U"),
        ] as [(KorePushServer.Fault, KorePushError.Code, Int, String?, String?)]
    )
    func refused(
        _ fault: KorePushServer.Fault,
        _ code: KorePushError.Code,
        _ status: Int,
        _ serverCode: String?,
        _ message: String?
    ) async throws {
        world.kore.fail(fault)
        let error = await koreFailure { try await world.push().subscribe(.first) }
        #expect(error?.code == code)
        #expect(error?.status == status)
        #expect(error?.serverCode == serverCode)
        #expect(error?.serverMessage == message)
        #expect(error?.network?.response != nil)
    }

    @Test("the server refuses what a real one would: its own checks")
    func serverChecks() async throws {
        #expect(
            await koreFailure { try await world.push(user: "nobody").subscribe(.first) }?.serverCode == "USER_NOT_FOUND"
        )
        #expect(await koreFailure { try await world.push(user: "a/b ü").subscribe(.first) }?.code == .forbidden)
        #expect(
            await koreFailure { try await world.push(type: "Basic").subscribe(.first) }?.serverCode
                == "INVALID_TOKEN_TYPE"
        )
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }
}

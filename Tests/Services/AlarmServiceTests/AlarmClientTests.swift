import AlarmService
import PushServersMock
import TestSupport

@Suite("The client sends what the wire table says", .timeLimit(.minutes(10)), .paced)
struct AlarmClientTests {
    static let actions: [(AlarmAction, String)] = [
        (.read([3]), "action=read&seq=3"), (.read([3, 2]), "action=read&seq=3%2C2"), (.readAll, "action=read_all"),
        (.delete([3, 1]), "action=delete&seq=3%2C1"), (.deleteAll, "action=delete_all"),
        (.disable("F01"), "action=notification_disable&type=F01"),
        (.disable("F01", from: "u 7&"), "action=notification_disable&from_id=u+7%26&type=F01"),
    ]

    @Test("an action is one form to one endpoint", arguments: actions)
    func action(_ action: AlarmAction, form: String) async throws {
        let bench = try Bench(3, token: "secret")
        _ = try await bench.client.perform(action)
        let request = try #require(bench.server.requests.first)
        #expect(bench.server.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.target == "/api/v1/notifications/action")
        #expect(request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(request.headers["Authorization"] == "Bearer secret")
        #expect(request.text == form)
    }

    @Test(
        "a page is a GET with limit and before",
        arguments: [
            (AlarmQuery.first, "/api/v1/notifications?limit=20"),
            (AlarmQuery(limit: 2, before: 981), "/api/v1/notifications?before=981&limit=2"),
            (AlarmQuery(limit: 1_000_000), "/api/v1/notifications?limit=100"),
            (AlarmQuery(limit: -1), "/api/v1/notifications?limit=1"),
        ]
    )
    func page(_ query: AlarmQuery, _ target: String) async throws {
        let bench = try Bench()
        _ = try await bench.client.page(query)
        let request = try #require(bench.server.requests.first)
        #expect(request.method == .get)
        #expect(request.target == target)
        #expect(request.body.isEmpty)
    }

    @Test("repeated actions succeed without a further effect, an unknown alarm is not found")
    func repeated() async throws {
        let bench = try Bench(3)
        #expect(try await bench.client.perform(.read([3])) == AlarmActionResult(affected: 1, unreadCount: 2))
        #expect(try await bench.client.perform(.read([3])) == AlarmActionResult(affected: 0, unreadCount: 2))
        #expect(try await bench.client.perform(.delete([3])).affected == 1)
        #expect(try await bench.client.perform(.delete([3])).affected == 0)
        let error = await alarmFailure { try await bench.client.perform(.read([3])) as AlarmActionResult }
        #expect(error?.code == .notFound)
        #expect(error?.serverCode == "alarm_not_found")
        #expect(error?.network?.status == 404)
    }

    @Test(
        "an action that lacks a required value is not sent",
        arguments: [AlarmAction.read([]), .delete([]), .read([-5]), .delete([1, 0]), .disable("")]
    )
    func invalidAction(_ action: AlarmAction) async throws {
        let bench = try Bench(1)
        #expect(
            await alarmFailure { try await bench.client.perform(action) as AlarmActionResult }?.code == .invalidRequest
        )
        #expect(bench.server.requests.isEmpty)
    }

    static let refusals: [(AlarmServer.Fault, AlarmError.Code, String?)] = [
        (.status(400, code: "invalid_action"), .rejected, "invalid_action"),
        (.status(401, code: "unauthorized"), .unauthorized, "unauthorized"),
        (.status(403, code: "forbidden"), .unauthorized, "forbidden"),
        (.status(404, code: "alarm_not_found"), .notFound, "alarm_not_found"),
        (.status(409, code: "stale"), .stale, "stale"),
        (.status(422, code: "missing_seq"), .rejected, "missing_seq"),
        (.rateLimited(seconds: 1), .unavailable, "rate_limited"),
        (.status(500, code: "oops"), .unavailable, "oops"),
        (.status(503, code: "down"), .unavailable, "down"),
        (.html, .invalidResponse, nil),
        (.errorObject(code: "stale", message: "too old"), .rejected, "stale"),
        (.text(#"{"result":0,"code":17,"message":"no"}"#), .rejected, "17"),
        (.text(#"{"error":"just words"}"#), .rejected, nil),
        (.text(""), .invalidResponse, nil),
        (.text(#"{"data":"#), .invalidResponse, nil),
        (.reset, .unavailable, nil),
    ]

    @Test("a refusal of an action or a page keeps its kind, and the server's code and message", arguments: refusals)
    func refusal(_ fault: AlarmServer.Fault, code: AlarmError.Code, serverCode: String?) async throws {
        let bench = try Bench(3)
        bench.alarms.failActions(fault)
        bench.alarms.failPages(fault)
        let action = await alarmFailure { try await bench.client.perform(.readAll) as AlarmActionResult }
        let page = await alarmFailure { try await bench.client.page() as AlarmPage }
        for error in [action, page] {
            #expect(error?.code == code)
            #expect(error?.serverCode == serverCode)
            #expect(error?.message.isEmpty == false)
            if case .errorObject = fault { #expect(error?.description == "rejected (stale): too old") }
            #expect(error?.network != nil)
        }
    }

    @Test("an observer reports the same error as `await`")
    func observer() async throws {
        let bench = try Bench(1)
        bench.alarms.failPages(.status(409, code: "stale"))
        let call: Observer<AlarmPage> = bench.client.page()
        #expect(await alarmFailure { try await call.value }?.code == .stale)
        let next: Observer<AlarmActionResult> = bench.client.perform(.readAll)
        #expect(try await next.value.affected == 1)
    }

    @Test("cancellation is not an alarm error")
    func cancelled() async throws {
        let bench = try Bench(1)
        bench.alarms.failPages(.stall)
        let call = Task { try await bench.client.page() as AlarmPage }
        _ = try await bench.server.waitForRequests(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}

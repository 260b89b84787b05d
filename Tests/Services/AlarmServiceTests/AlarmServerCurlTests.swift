import PushServersMock
import TestPrograms
import TestSupport

@Suite("The mock of the alarm server with plain curl", .timeLimit(.minutes(10)), Curl.isNeeded, .paced)
struct AlarmServerCurlTests {
    static let action = "/api/v1/notifications/action"

    private func start(_ alarms: AlarmServer) throws -> LoopbackServer {
        let server = try LoopbackServer()
        alarms.serve(on: server)
        for _ in 0..<3 { alarms.insert(["type": "F01", "message": "say \"hi\"\\\n"]) }
        return server
    }

    @Test("a page has the agreed number of alarms, newest first, and `before` compares without looking up")
    func page() async throws {
        let server = try start(AlarmServer())
        let quoted = #""message":"say \"hi\"\\\n","type":"F01""#
        let first = try await Curl.run([server.url("/api/v1/notifications?limit=1").absoluteString])
        let paging = #""paging":{"has_more":true,"next_before":3},"unread_count":3"#
        #expect(first == #"{"result":1,"data":[{"seq":3,"is_read":0,\#(quoted)}],\#(paging)} 200"#)
        let unknown = try await Curl.run([server.url("/api/v1/notifications?before=99&limit=0").absoluteString])
        #expect(unknown == first)
        let last = try await Curl.run([server.url("/api/v1/notifications?before=1").absoluteString])
        #expect(last == #"{"result":1,"data":[],"paging":{"has_more":false,"next_before":null},"unread_count":3} 200"#)
    }

    @Test("the five actions, one after another")
    func actions() async throws {
        let alarms = AlarmServer(token: "t")
        let server = try start(alarms)
        let rows: [(form: [String], reply: String)] = [
            (["-d", "action=read&seq=3"], #"{"result":1,"affected":1,"unread_count":2} 200"#),
            (["-d", "action=read", "--data-urlencode", "seq=3,2"], #"{"result":1,"affected":1,"unread_count":1} 200"#),
            (["-d", "action=read_all"], #"{"result":1,"affected":1,"unread_count":0} 200"#),
            (["-d", "action=delete&seq=3,99"], #"{"result":1,"affected":1,"unread_count":0} 200"#),
            (["-d", "action=delete_all"], #"{"result":1,"affected":2,"unread_count":0} 200"#),
            (["-d", "action=notification_disable&type=F01"], #"{"result":1,"affected":1,"unread_count":0} 200"#),
        ]
        for (form, reply) in rows {
            let authorization = ["-H", "Authorization: Bearer t"]
            #expect(try await Curl.run(authorization + form + [server.url(Self.action).absoluteString]) == reply)
        }
        #expect(alarms.items.isEmpty)
        #expect(alarms.insert(["type": "F01"]) == nil)
    }

    @Test(
        "an incorrect client is refused",
        arguments: [
            (["-d", "action=shout"], "400", "invalid_action"), (["-d", "seq=1"], "400", "invalid_action"),
            (["-d", "action=read"], "422", "missing_seq"), (["-d", "action=delete&seq=x"], "422", "missing_seq"),
            (["-d", "action=read&seq=99"], "404", "alarm_not_found"),
            (["-d", "action=notification_disable"], "422", "missing_type"),
            (["-H", "Content-Type: application/json", "-d", #"{"action":"read_all"}"#], "400", "invalid_action"),
        ] as [([String], String, String)]
    )
    func refused(_ arguments: [String], _ status: String, _ code: String) async throws {
        let alarms = AlarmServer()
        let server = try start(alarms)
        let reply = try await Curl.run(arguments + [server.url(Self.action).absoluteString])
        #expect(reply.hasPrefix(#"{"error":{"code":"\#(code)""#))
        #expect(reply.hasSuffix(" \(status)"))
        #expect(alarms.unreadCount == 3)
    }

    @Test("without the token nothing is disclosed")
    func token() async throws {
        let server = try start(AlarmServer(token: "t"))
        let reply = try await Curl.run([server.url("/api/v1/notifications").absoluteString])
        #expect(reply.hasSuffix(" 401"))
    }
}

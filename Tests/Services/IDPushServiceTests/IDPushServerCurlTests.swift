import PushServersMock
import TestPrograms
import TestSupport

@Suite("The mock of IDPush with plain curl", .timeLimit(.minutes(10)), Curl.isNeeded, .paced)
struct IDPushServerCurlTests {
    static let common = [
        "-d", "project_id=p1", "-d", "device_type=0", "-d", "game_version=1.4", "-d", "device_os=17.5",
        "--data-urlencode", "device_model=iPhone15,2",
    ]
    static let id = "ffffb794-ba37-11e3-8077-000000000001"

    @Test("every request of the document is understood, in the forms of old and new clients")
    func document() async throws {
        let push = IDPushServer(projects: ["p1"])
        let server = try LoopbackServer()
        push.serve(on: server)
        let added = #"{"player_id":"\#(Self.id)","status":1} 200"#
        let done = #"{"status":1} 200"#
        let utf8 = ["-H", "Content-Type: application/x-www-form-urlencoded; charset=utf-8"]
        let edit = ["-d", "player_id=\(Self.id)"]
        let rows: [(arguments: [String], path: String, reply: String)] = [
            (["-d", "identifier=a1b2", "-d", "notification_types=1", "-d", "test_type=1"], "add", added),
            (utf8 + ["-d", "identifier=a1b2", "-d", "notification_types=-2"], "add", added),
            (edit + ["-d", "notification_types=1"], "edit/\(Self.id)", done),
            (edit + ["-d", "notification_types=-2"], "edit/\(Self.id)", done),
            (edit + ["--data-urlencode", #"tags={"lang":"fa","note":"a+b c&d"}"#], "edit/\(Self.id)", done),
            (edit + ["-d", "language=fa"], "edit/\(Self.id)", done),
        ]
        for (arguments, path, reply) in rows {
            let url = server.url("/api/v1/device/\(path)").absoluteString
            #expect(try await Curl.run(Self.common + arguments + [url]) == reply)
        }
        let device = try #require(push.devices.first)
        #expect(push.devices.count == 1)
        #expect(device.notificationTypes == -2)
        #expect(device.tags == ["lang": "fa", "note": "a+b c&d"])
        #expect(device.parameters["device_model"] == "iPhone15,2")
        #expect(device.parameters["language"] == "fa")
    }
}

import PushServersMock
import TestSupport

/// What the mock server refuses, so that a client that is wrong is caught.
@Suite("The mock of IDPush", .timeLimit(.minutes(10)), .paced)
struct IDPushServerTests {
    static let form: Headers = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
    static let common = "project_id=p1&device_type=0&game_version=1&device_model=m&device_os=17"
    static let add = "/api/v1/device/add"
    static let edit = "/api/v1/device/edit/"
    static let id = "ffffb794-ba37-11e3-8077-000000000001"

    static let refusals: [(path: String, headers: Headers, body: String, status: Int, message: String)] = [
        (add, ["Content-Type": "application/json"], "{}", 422, "data not valid"),
        (add, [:], common, 422, "data not valid"),
        (add, form, common, 422, "identifier is required"),
        (add, form, common + "&identifier=", 422, "identifier is required"),
        (
            add, form, "identifier=aa&project_id=p1&device_type=0&game_version=1&device_model=m", 422,
            "device_os is required"
        ),
        (add, form, common.replacingOccurrences(of: "p1", with: "p9") + "&identifier=aa", 404, "project not found"),
        (edit + id, form, common, 422, "player_id is required"),
        (edit + id, form, common + "&player_id=x", 422, "player_id does not match the path"),
        (edit + "x", form, common + "&player_id=x", 404, "No user with this id found"),
        (edit + id, form, common + "&player_id=\(id)&tags=5", 422, "tags are not valid"),
        (edit + id, form, common + "&player_id=\(id)&tags=%7B%22a%22%3A%5B1%5D%7D", 422, "tags are not valid"),
    ]

    @Test("invalid requests are refused with a reason", arguments: refusals)
    func refuses(path: String, headers: Headers, body: String, status: Int, message: String) throws {
        let push = try Self.registered()
        let reply = push.respond(method: .post, path: path, headers: headers, body: body)
        #expect(reply.status == status)
        #expect(reply.json == #"{"message":"\#(message)","status":0}"#)
        #expect(push.devices.count == 1)
    }

    @Test("a known token keeps its id; tags merge, and are removed when empty")
    func devices() throws {
        let push = try Self.registered()
        let body = Self.common + "&identifier=aa"
        let again = push.respond(method: .post, path: Self.add, headers: Self.form, body: body)
        #expect(again.json == #"{"player_id":"\#(Self.id)","status":1}"#)
        for tags in [#"{"a":1,"b":"x+y","c":true}"#, #"{"a":"","b":null,"d":2.5}"#] {
            let text = tags.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let body = Self.common + "&player_id=\(Self.id)&tags=\(text)"
            let reply = push.respond(method: .post, path: Self.edit + Self.id, headers: Self.form, body: body)
            #expect(reply.json == #"{"status":1}"#)
        }
        #expect(push.devices.map(\.tags) == [["c": "true", "d": "2.5"]])
    }

    @Test("a request with a known Idempotency-Key gets the response, and is not carried out again")
    func idempotency() throws {
        let push = try Self.registered()
        var headers = Self.form
        headers.append("Idempotency-Key", "k")
        for token in ["bb", "cc"] {
            let body = Self.common + "&identifier=\(token)"
            #expect(push.respond(method: .post, path: Self.add, headers: headers, body: body).status == 200)
        }
        #expect(push.devices.map(\.identifier) == ["aa", "bb"])
        #expect(push.exchanges.map(\.isRepeated) == [false, false, true])
    }

    private static func registered() throws -> IDPushServer {
        let push = IDPushServer(projects: ["p1"])
        let reply = push.respond(method: .post, path: add, headers: form, body: common + "&identifier=aa")
        try #require(reply.status == 200)
        return push
    }
}

extension LoopbackResponse {
    fileprivate var json: String? { if case .text(let text) = body { text } else { nil } }
}

import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Links in notifications", .timeLimit(.minutes(10)), .paced)
struct NotificationPayloadTests {
    static let payloads: [(Json, Verdict)] = [
        (["aps": ["alert": ["title": "New!"], "category": "pusher"], "data": ["messageId": "1"]], .opens(.chat("1"))),
        (["aps": ["alert": "Hello!"], "data": ["messageId": 1]], .opens(.chat("1"))),
        (["data": ["messageId": Json(UInt64.max)]], .opens(.chat("18446744073709551615"))),
        (["data": ["requestId": "7"]], .opens(.request(id: "7"))),
        (["data": ["messageId": "1", "requestId": "7"]], .opens(.chat("1"))),
        (["data": ["messageId": nil, "requestId": "7"]], .opens(.request(id: "7"))),
        (
            ["custom": ["i": "0", "u": "deeplinkTutorial://request/7", "a": ["messageId": "1"]]],
            .opens(.request(id: "7"))
        ),
        (["custom": ["i": "0", "a": ["messageId": "1"]]], .opens(.chat("1"))),
        (["custom": ["u": "", "a": ["messageId": "1"]]], .opens(.chat("1"))),
        (["os_data": ["i": "0", "u": "https://example.com/messages/4"]], .opens(.chat("4"))),
        (["os_data": ["i": "0"], "requestId": 9], .opens(.request(id: "9"))),
        (["data": ["messageId": "2"], "custom": ["a": ["messageId": "3"]]], .opens(.chat("2"))),
        (["custom": ["u": "https://evil.com/messages/1"], "data": ["messageId": "1"]], .opens(.chat("1"))),
        (["custom": ["u": "https://evil.com/messages/1"]], .rejected(.host("evil.com"))),
        (["os_data": ["u": "https://shop.example/sale"], "data": ["messageId": "1"]], .opens(.chat("1"))),
        (["os_data": ["u": "https://shop.example/sale"]], .rejected(.host("shop.example"))),
        (["custom": ["u": "deeplinkTutorial://messages/.."], "data": ["messageId": "1"]], .rejected(.badPath)),
        (["os_data": ["u": "deeplinkTutorial://messages/.."], "data": ["messageId": "1"]], .rejected(.badPath)),
        (["custom": ["u": "deeplinkTutorial://activity"]], .rejected(.notAllowedFrom(.notification))),
        (["custom": ["u": 5]], .rejected(.notAURL)),
        (["data": ["messageId": ""]], .rejected(.missingID)),
        (["data": ["messageId": " \n"]], .rejected(.missingID)),
        (["data": ["messageId": true]], .rejected(.missingID)),
        (["data": ["messageId": 1.5]], .rejected(.missingID)),
        (["data": ["messageId": ["id": "1"]]], .rejected(.missingID)),
        (["data": ["messageId": "../admin"]], .rejected(.badPath)),
        (["data": ["messageId": ".."]], .rejected(.badPath)),
        (["data": ["messageId": "%2F"]], .opens(.chat("%2F"))),
        (["data": "messageId"], .rejected(.emptyPayload)), (["data": #"{"messageId": 7}"#], .opens(.chat("7"))),
        (["data": #"{"messageId": 7"#], .rejected(.emptyPayload)),
        (["aps": ["alert": "Hello!"]], .rejected(.emptyPayload)),
        ([:], .rejected(.emptyPayload)),
        (nil, .rejected(.emptyPayload)),
        ([], .rejected(.emptyPayload)),
    ]

    @Test("finds the link in the first place with a value", arguments: payloads)
    func finds(content: Json, verdict: Verdict) {
        #expect(Verdict(tutorial, .note(content)) == verdict)
    }

    @Test("accepts a userInfo, and leaves out what is not JSON")
    func userInfo() {
        let payload = NotificationPayload(userInfo: [
            "data": ["messageId": 1, "strange": NSObject(), "infinite": Double.infinity] as [String: Any],
            "list": [1, NSObject(), "x"] as [Any],
            "anyKeys": ["a": 1, 2: "b"] as [AnyHashable: Any],
            7: "no text as a key",
        ])
        #expect(payload.content == ["data": ["messageId": 1], "list": [1, "x"], "anyKeys": ["a": 1]])
        #expect(Verdict(tutorial, .notification(payload)) == .opens(.chat("1")))
    }

    @Test("a userInfo of any depth is accepted, down to a limit")
    func depth() {
        var userInfo: [String: Any] = [:]
        for _ in 0..<10_000 { userInfo = ["x": userInfo] }
        #expect(NotificationPayload(userInfo: userInfo).content["x"] != nil)
    }

    @Test("OneSignal's id precedes that of the request, so that both reports of a tap agree")
    func ids() {
        #expect(NotificationPayload(content: ["custom": ["i": "a"]], id: "b").id == "a")
        #expect(NotificationPayload(content: ["os_data": ["i": "a"]], id: "b").id == "a")
        #expect(NotificationPayload(content: [:], id: "b").id == "b")
        #expect(NotificationPayload(content: [:]).id == nil)
    }
}

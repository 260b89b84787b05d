import CoreNetKitJson
import TestPace

@Suite("JSON and the options it carries", .timeLimit(.minutes(10)), .paced)
struct JsonModelTests {
    private struct Event: Codable, Equatable, Sendable {
        var eventName: String
        var startsAt: Date
    }

    private static let coding = JsonCoding(keys: .snakeCase, dates: .iso8601)
    private static let event = Event(eventName: "x", startsAt: Date(timeIntervalSince1970: 0))
    private static let text = #"{"event_name":"x","starts_at":"1970-01-01T00:00:00Z"}"#
    private static let plain = #"{"eventName":"x","startsAt":-978307200}"#

    @Test("a model in a value is written with options that the value gets later, wherever it is")
    func deferred() throws {
        let model = try Json(encoding: Self.event)
        #expect(try model.with(Self.coding).text() == Self.text)
        #expect(try model.text() == Self.plain)
        let inner: Json = ["data": [model, nil], "n": 1]
        #expect(try inner.with(Self.coding).text() == "{\"data\":[\(Self.text),null],\"n\":1}")
        #expect(try inner.with(Self.coding).data() == Data("{\"data\":[\(Self.text),null],\"n\":1}".utf8))
        #expect(try inner.with(Self.coding).parsed()["data"]?[0]?["event_name"]?.string == "x")
        #expect(inner["data"]?[0]?["eventName"]?.string == "x")
        #expect(try inner.text() == "{\"data\":[\(Self.plain),null],\"n\":1}")
    }

    @Test("members set on a model appear in its JSON, whatever the options")
    func changes() throws {
        var json = try Json(encoding: Self.event)
        json["extra"] = ["k": 1]
        json["eventName"] = nil as Json?
        json["more"] = try Json(encoding: [Self.event])
        #expect(
            try json.with(Self.coding).text()
                == #"{"event_name":"x","starts_at":"1970-01-01T00:00:00Z","extra":{"k":1},"more":[\#(Self.text)]}"#
        )
        #expect(try json.text() == #"{"startsAt":-978307200,"extra":{"k":1},"more":[\#(Self.plain)]}"#)
        var list = try Json(encoding: [1, 2, 3])
        list[1] = "b"
        list[7] = 1
        list[0] = nil as Json?
        #expect(try list.text() == #"["b",3]"#)
    }

    @Test("models are decoded from every part of a value with the options of the whole")
    func parts() throws {
        let body = "{\"a\":[\(Self.text)],\"b\":{\"c\":\(Self.text)}}"
        for json in [Json(undecoded: Data(body.utf8)), try Json(parsing: body)].map({ $0.with(Self.coding) }) {
            #expect(try json["a"]?[0]?.decode(Event.self) == Self.event)
            #expect(try json["b"]?["c"]?.decode() == Self.event)
            #expect(try json["a"]?.array?.first?.decode() == Self.event)
            #expect(try json.object?["b"]?.object?["c"]?.decode() == Self.event)
            #expect(try json.members.last?.value.members.first?.value.decode() == Self.event)
            #expect(try json["b"]?.decode([String: Event].self) == ["c": Self.event])
            #expect(try json.parsed()["a"]?.decode() == [Self.event])
        }
        var json = try Json(parsing: body).with(Self.coding)
        json["x"] = 1
        #expect(try json["a"]?.decode() == [Self.event])
        #expect(throws: DecodingError.self) { try Json(parsing: body)["a"]?.decode([Event].self) }
    }

    @Test("a Json field of a model has the options that the model was decoded with")
    func fields() throws {
        struct Page: Decodable { var someEvents: Json }
        let page = try Json(undecoded: Data("{\"some_events\":[\(Self.text)]}".utf8)).decode(Page.self, as: Self.coding)
        #expect(try page.someEvents[0]?.decode() == Self.event)
        #expect(try page.someEvents.text() == "[\(Self.text)]")
    }

    @Test("comparison ignores options, and a model is equal to its JSON")
    func comparing() throws {
        let model = try Json(encoding: Self.event)
        #expect(try model == Json(parsing: Self.plain))
        #expect(try Set([model, Json(parsing: Self.plain), Json(parsing: Self.plain).with(Self.coding)]).count == 1)
        #expect(try model.with(Self.coding) == Json(parsing: Self.text))
    }

    @Test("a model that cannot be encoded says why when it is written, and looks empty until then")
    func failures() throws {
        struct Failure: Error {}
        struct Failing: Encodable, Sendable { func encode(to encoder: any Encoder) throws { throw Failure() } }
        let json: Json = ["a": [try Json(encoding: ["b": Double.nan])]]
        let error = #expect(throws: JsonError.self) { try json.data() }
        #expect(error?.path == "b" && error?.code == .unsupported)
        #expect(json["a"]?[0]?.object == nil)
        #expect(throws: Failure.self) { try Json(encoding: Failing()).encoded() }
        #expect(throws: JsonError.self) { try Json(encoding: Failing()).parsed() }
        #expect(throws: EncodingError.self) { try json.encoded() }
    }

    @Test("a model in a model follows the options of the whole, and another encoder keeps its own")
    func nested() throws {
        struct Holder: Encodable, Sendable { var someMeta: Json }
        let holder = Holder(someMeta: try Json(encoding: Self.event))
        #expect(try Json(encoding: holder).with(Self.coding).text() == "{\"some_meta\":\(Self.text)}")
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let text = #"{"someMeta":{"eventName":"x","startsAt":"1970-01-01T00:00:00Z"}}"#
        #expect(try Json(parsing: encoder.encode(holder)) == Json(parsing: text))
    }
}

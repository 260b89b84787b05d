import CoreNetKitJson
import TestSupport

private struct Photo: Codable { var ref: String; var size: Int8?; var taken: Date?; var link: URL? }
private struct PersonEntry: Codable, RawMappable {
    typealias Raw = Json; var name: String; var photos: [Photo]; var scores: [String: Double]?
}
private struct Page: Codable, RawMappable { typealias Raw = Json; var users: [PersonEntry] }
private struct Own: Decodable, RawDecodable {
    var id: Int
    static func from(raw: Json) throws -> Own { try (raw["data"] ?? raw).decode() }
}
private struct Hand: RawDecodable {
    static func from(raw: Json) throws -> Hand { _ = try raw.decode(Int.self); return Hand() }
}

@Suite("Decoding failures", .timeLimit(.minutes(10)), .paced)
struct ModelDecodingFailureTests {
    private func failure<Entry: RawDecodable>(_ type: Entry.Type, _ text: String) -> DecodingFailure?
    where Entry.Raw == Json {
        let body = Json(undecoded: Data(text.utf8))
        let error = #expect(throws: (any Error).self) { try Entry.from(raw: body) }
        return error.map { DecodingFailure($0, type: type, body: body) }
    }

    private func page(_ photo: String) -> String {
        #"{"users":[{"name":"a","photos":[]},{"name":"b","photos":[\#(photo)]}]}"#
    }

    @Test(
        "a failure names the path, what was expected and what was found",
        arguments: [
            (#"{"ref":1}"#, "users[1].photos[0].ref: expected String, found number"),
            (#"{"ref":null}"#, "users[1].photos[0].ref: expected String, found null"),
            (#"{"ref":{}}"#, "users[1].photos[0].ref: expected String, found object"),
            (#"{"ref":[]}"#, "users[1].photos[0].ref: expected String, found array"),
            (#"{"ref":true}"#, "users[1].photos[0].ref: expected String, found bool"),
            (#"{}"#, "users[1].photos[0].ref: missing (Page)"),
            (#"[]"#, "users[1].photos[0]: expected object, found array"),
            (#"{"ref":"a","size":"1"}"#, "users[1].photos[0].size: expected Int8, found string"),
            (#"{"ref":"a","size":300}"#, "users[1].photos[0].size: expected Int8, found number 300 that does not fit"),
            (#"{"ref":"a","size":1.5}"#, "users[1].photos[0].size: expected Int8, found number 1.5 that does not fit"),
            (#"{"ref":"a","taken":"x"}"#, "users[1].photos[0].taken: expected Double, found string"),
            (
                #"{"ref":"a","taken":1e400}"#,
                "users[1].photos[0].taken: expected Date, found number 1e400 that does not fit"
            ),
            (#"{"ref":"a","link":""}"#, "users[1].photos[0].link: Invalid URL string"),
        ]
    )
    func names(photo: String, expected: String) {
        #expect(failure(Page.self, page(photo))?.description == expected)
    }

    @Test("a failure in a container begins with the element's place, in a type's own from(raw:), too")
    func containers() {
        let photo = #"{"name":"a","photos":[{"ref":1}]}"#
        let fine = #"{"name":"a","photos":[]}"#
        let failures = [
            (
                failure([PersonEntry].self, "[\(fine),\(fine),\(photo)]"),
                "[2].photos[0].ref: expected String, found number"
            ),
            (
                failure([String: [PersonEntry?]].self, "{\"x\":[null,\(photo)]}"),
                "x[1].photos[0].ref: expected String, found number"
            ),
            (failure([PersonEntry].self, "[{}]"), "[0].name: missing (PersonEntry)"),
            (failure([PersonEntry].self, "{}"), "expected array, found object"),
            (failure([String: PersonEntry].self, "[]"), "expected object, found array"),
            (failure([PersonEntry].self, "[1]"), "[0]: expected object, found number"),
            (failure([Own].self, #"[{"id":1},{"data":{"id":"x"}}]"#), "[1].id: expected Int, found string"),
            (failure([Own].self, #"[{"id":1},{"id":"x"}]"#), "[1].id: expected Int, found string"),
            (
                failure([Own].self, #"[{"id":1},{"id":1e30}]"#),
                "[1].id: expected Int, found number 1e30 that does not fit"
            ),
            (failure([String: [Own]].self, #"{"k":[{"id":null}]}"#), "k[0].id: expected Int, found null"),
            (failure([[Hand]].self, #"[[],[1,2,"x"]]"#), "[1][2]: expected Int, found string"),
            (failure([String: Hand].self, #"{"k":true}"#), "k: expected Int, found bool"),
        ]
        for (failure, text) in failures { #expect(failure?.description == text) }
    }

    @Test(
        "a body that is not JSON says where",
        arguments: [
            (
                #"{"users":[{"name":"a""#,
                "expected ',' or '}', found the end of the text at line 1, column 22 (byte 21)"
            ),
            ("<html></html>", "expected a value, found '<' at line 1, column 1 (byte 0)"),
            ("", "the body is empty, expected Page"),
            (" \r\n", "the body is empty, expected Page"),
        ]
    )
    func broken(text: String, expected: String) {
        #expect(failure(Page.self, text)?.description == expected)
    }

    @Test("ten megabytes of brackets fail at once")
    func brackets() {
        let text = String(repeating: "[", count: 10_000_000)
        #expect(failure(Page.self, text)?.message == "nested deeper than 512 levels at line 1, column 513 (byte 512)")
        #expect(
            failure([[Own]].self, text)?.message == "nested deeper than 512 levels at line 1, column 513 (byte 512)"
        )
    }

    @Test("types are named as in source code")
    func typeNames() {
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "x"))
        #expect(DecodingFailure(error, type: [String: [PersonEntry?]].self).typeName == "[String: [PersonEntry?]]")
        #expect(DecodingFailure(error, type: Page.self).typeName == "Page")
    }

    @Test("an entry's own error is reported unchanged")
    func foreignErrors() {
        struct Odd: Error, CustomStringConvertible { var description: String { "odd" } }
        #expect(DecodingFailure(Odd(), type: Page.self).description == "odd")
    }
}

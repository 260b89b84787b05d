import CoreNetKitJson
import TestPace

@Suite("JSON of any value", .timeLimit(.minutes(10)), .paced)
struct JsonAnyTests {
    private final class SomeClass {}
    private struct Pair: Encodable {
        let left: Int
        let right: String?
    }
    private enum Suit: String, Encodable { case hearts }

    @Test("dictionaries and arrays of anything become objects and arrays")
    func converts() throws {
        let nothing: String? = nil
        let something: Int? = 3
        let value: [String: Any] = [
            "text": "x", "flag": true, "int": 1, "wide": UInt64.max, "half": 0.5, "list": [1, "a", [true]] as [Any],
            "map": ["k": ["deep": 1]], "none": nothing as Any, "some": something as Any,
            "url": URL(string: "https://a.b/c") as Any,
            "json": ["x": nil] as Json, "pair": Pair(left: 1, right: nil), "suit": Suit.hearts, "tiny": Int8(-1),
        ]
        let expected: Json = [
            "flag": true, "half": 0.5, "int": 1, "json": ["x": nil], "list": [1, "a", [true]],
            "map": ["k": ["deep": 1]],
            "none": nil, "pair": ["left": 1], "some": 3, "suit": "hearts", "text": "x", "tiny": -1,
            "url": "https://a.b/c", "wide": Json(UInt64.max),
        ]
        let json = try Json(value)
        #expect(json == expected)
        #expect(json.members.map(\.key) == expected.members.map(\.key))
    }

    @Test("Booleans stay Booleans and numbers stay numbers")
    func boolsAndNumbers() throws {
        let value: [String: Any] = ["t": true, "one": 1, "zero": 0, "f": false]
        #expect(try Json(value).description == #"{"f":false,"one":1,"t":true,"zero":0}"#)
    }

    @Test("a value without a form in JSON is an error that names its place")
    func names() {
        let samples: [(Any, String)] = [
            (SomeClass(), "cannot be written as JSON: SomeClass"),
            (["filter": ["owner": SomeClass()]], "filter.owner: cannot be written as JSON: SomeClass"),
            (["items": [1, ["x": SomeClass()]] as [Any]], "items[1].x: cannot be written as JSON: SomeClass"),
            (["n": Double.nan], "n: cannot be written as JSON: nan"),
            (["a": [[SomeClass()]]], "a[0][0]: cannot be written as JSON: SomeClass"),
        ]
        for (value, description) in samples {
            let error = #expect(throws: JsonError.self) { try Json(value) }
            #expect(error.map { "\($0)" } == description)
            #expect(error?.code == .unsupported)
        }
    }

    @Test("endless nesting is an error")
    func deep() {
        var value: Any = 1
        for _ in 0..<600 { value = ["a": value] }
        let error = #expect(throws: JsonError.self) { try Json(value) }
        #expect(error?.code == .tooDeep)
    }
}

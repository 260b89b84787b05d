import CoreNetKitJson
import TestPace

@Suite("JSON decoder", .timeLimit(.minutes(10)), .paced)
struct JsonDecoderTests {
    private struct Names: Decodable, Equatable {
        let names: [String]
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue).sorted()
        }
    }

    /// Decodes itself when it is asked, not when it is made.
    private struct Kept: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
        func value(_ key: String) throws -> Int {
            try decoder.container(keyedBy: AnyName.self).decode(Int.self, forKey: AnyName(stringValue: key))
        }
    }

    private func raw(_ text: String) -> Json { Json(undecoded: Data(text.utf8)) }

    @Test(
        "snake case becomes camel case as in Foundation",
        arguments: [
            "one_two", "one", "oneTwo", "oneTwo_three", "_one_two_", "__", "_", "", "one__two", "ONE_TWO", "ONE",
            "one_2", "one_2b", "_a", "a_", "é_è", "ß_ßa", "a_b-c d.e", "a_b1c", "a_'b", "ǆ_ǆ", "日_本", "a_😀b", "one_tWO",
        ]
    )
    func snakeCase(name: String) throws {
        let text = try Json([name: 1] as [String: Any]).data()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let coding = JsonCoding(keys: .snakeCase)
        #expect(try Json(undecoded: text).decode(Names.self, as: coding) == decoder.decode(Names.self, from: text))
    }

    @Test(
        "of two members with one name the first counts, however the name is written and wherever it is",
        arguments: [0, 40]
    )
    func firstOfTwo(others: Int) throws {
        struct Pair: Decodable, Equatable { var a: Int; var é: Int }
        let more = (0..<others).map { ",\"more\($0)\":0" }.joined()
        #expect(try raw("{\"é\":1,\"a\":2\(more),\"a\":3,\"e\u{301}\":4}").decode(Pair.self) == Pair(a: 2, é: 1))
        #expect(try raw(#"{"\u0061":1,"a":2,"e\u0301":3,"é":4\#(more)}"#).decode(Pair.self) == Pair(a: 1, é: 3))
        #expect(try raw("{\"a\":1\(more),\"a\":null,\"é\":2}").decode(Pair.self) == Pair(a: 1, é: 2))
    }

    @Test("a name in other characters is found if they are equal")
    func canonicalNames() throws {
        #expect(try raw(#"{"K":1}"#).decode(Kept.self).value("\u{212A}") == 1)
        #expect(try raw("{\"\u{212A}\":1}").decode(Kept.self).value("K") == 1)
        #expect(throws: DecodingError.self) { try raw(#"{"K":1}"#).decode(Kept.self).value("é") }
    }

    @Test("a decoder may be kept and used later, by several threads at once")
    func keptDecoders() async throws {
        let text = "[" + (0..<50).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        let all: [Kept] = try raw(text).decode()
        #expect(try all.map { try $0.value("id") } == Array(0..<50))
        struct Part: Decodable, Sendable {
            let raw: Json
            init(from decoder: any Decoder) throws { raw = try Json(from: decoder) }
        }
        let parts: [Part] = try raw(text).decode()
        await withTaskGroup(of: Int?.self) { group in
            for part in parts {
                group.addTask { try? part.raw.decode([String: Int].self)["id"] }
                group.addTask { part.raw["id"]?.int }
            }
            var sum = 0
            for await value in group { sum += value ?? 1000 }
            #expect(sum == 2 * (0..<50).reduce(0, +))
        }
    }

    @Test("paths have the document's names, with snake case and in dictionaries too")
    func paths() {
        struct User: Decodable { var firstName: String }
        struct Page: Decodable { var byName: [String: [User]] }
        let body = raw(#"{"by_name":{"a_b":[{"first_name":"x"},{"first_name":1}]}}"#)
        let error = #expect(throws: DecodingError.self) { try body.decode(Page.self, as: JsonCoding(keys: .snakeCase)) }
        #expect(
            error.map { DecodingFailure($0, type: Page.self).description }
                == "by_name.a_b[1].first_name: expected String, found number"
        )
    }

    @Test("a Json field is also exact with snake case, and its names stay")
    func exactFields() throws {
        struct Outer: Decodable { var someMeta: Json }
        let text = #"{"z_z":1e400,"aA":0.10}"#
        let outer = try raw("{\"some_meta\":\(text)}").decode(Outer.self, as: JsonCoding(keys: .snakeCase))
        #expect(outer.someMeta.description == text)
    }

    @Test("numbers are exact where Foundation goes through a Double")
    func exactNumbers() throws {
        for text in ["1.0000000000000001", "1e-400"] {
            #expect(throws: DecodingError.self) { try raw(text).decode(Int.self) }
        }
        #expect(try raw("1e37").decode(Int128.self).description == "1" + String(repeating: "0", count: 37))
        #expect(try raw("9007199254740993.0").decode(Int.self) == 9_007_199_254_740_993)
    }

    @Test("zero is a Double however it is written, and too small a number is not")
    func zeros() throws {
        for text in ["0e1", "0e400", "0.0e-400", "-0"] { #expect(try raw(text).decode(Double.self) == 0) }
        for text in ["1e-400", "-1e400", "0.1e-5000"] {
            #expect(throws: DecodingError.self) { try raw(text).decode(Double.self) }
            #expect(throws: DecodingError.self) { try raw(text).decode(Float.self) }
        }
    }

    @Test("a model may be nested as deeply as a document")
    func depth() throws {
        let text = String(repeating: #"{"value":1,"leaves":["#, count: 256) + String(repeating: "]}", count: 256)
        var leaf: Leaf? = try raw(text).decode(Leaf.self)
        var depth = 0
        while let next = leaf {
            depth += 1
            leaf = next.leaves?.first
        }
        #expect(depth == 256)
        #expect(throws: JsonError.self) { try raw("[" + text + "]").decode([Leaf].self) }
    }

    @Test("a lossy array of fifty thousand wrong elements takes negligible time")
    func lossyArrays() throws {
        struct Lossy: Decodable {
            var values: [Int] = []
            var failures = 0
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    do { values.append(try container.decode(Int.self)) } catch {
                        failures += 1
                        _ = try container.decode(Json.self)
                    }
                }
            }
        }
        let text = "[" + Array(repeating: "\"x\",1", count: 50_000).joined(separator: ",") + "]"
        let start = ContinuousClock.now
        let lossy: Lossy = try raw(text).decode()
        #expect(lossy.failures == 50_000 && lossy.values.count == 50_000)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

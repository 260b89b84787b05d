import CoreNetKitJson
import TestPace

@Suite("JSON values", .timeLimit(.minutes(10)), .paced)
struct JsonValueTests {
    @Test("literals of every kind are values")
    func literals() {
        let name = "Ann"
        let json: Json = [
            "null": nil, "bool": true, "int": -1, "double": 1.5, "text": "x", "name": "\(name)", "list": [1, "a", [:]],
            "map": ["k": [nil]],
        ]
        #expect(
            json.description
                == #"{"null":null,"bool":true,"int":-1,"double":1.5,"text":"x","name":"Ann","list":[1,"a",{}],"map":{"k":[null]}}"#
        )
        #expect((nil as Json).isNull)
        #expect(([:] as Json).object == [:])
        #expect(([] as Json).array == [])
    }

    @Test("each accessor returns only its own kind")
    func accessors() throws {
        let json: Json = ["s": "1", "b": true, "n": 1, "d": 1.5, "a": [1], "o": ["k": 2], "z": nil]
        #expect(json["s"]?.string == "1")
        #expect(json["s"]?.int == nil)
        #expect(json["s"]?.number == nil)
        #expect(json["b"]?.bool == true)
        #expect(json["b"]?.int == nil)
        #expect(json["n"]?.int == 1)
        #expect(json["n"]?.bool == nil)
        #expect(json["n"]?.string == nil)
        #expect(json["d"]?.double == 1.5)
        #expect(json["a"]?.array == [1])
        #expect(json["a"]?.object == nil)
        #expect(json["o"]?.object == ["k": 2])
        #expect(json["z"]?.isNull == true)
        #expect(json["missing"] == nil)
        #expect(json["a"]?[0]?.int == 1)
        #expect(json["a"]?[1] == nil)
        #expect(json["a"]?[-1] == nil)
        #expect(json[0] == nil)
        #expect(json["n"]?["k"] == nil)
        #expect(json.members.map(\.key) == ["s", "b", "n", "d", "a", "o", "z"])
    }

    @Test("members and elements can be set and removed")
    func mutation() {
        var json: Json = ["a": 1, "list": [1, 2, 3]]
        json["a"] = "x"
        json["b"] = .null
        json["list"]?[1] = nil
        json["list"]?[9] = 1
        json["deep"] = [:]
        json["deep"]?["er"] = true
        #expect(json.description == #"{"a":"x","list":[1,3],"b":null,"deep":{"er":true}}"#)
        json["a"] = nil
        #expect(json["a"] == nil)
        var number: Json = 1
        number["k"] = 2
        #expect(number == ["k": 2])
    }

    @Test("objects are equal in any order, arrays are not")
    func equality() throws {
        let left: Json = ["a": 1, "b": [1, 2]]
        let right: Json = ["b": [1, 2], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != ["a": 1, "b": [2, 1]])
        #expect(left != ["a": 1])
        #expect(try Json(parsing: "null") != Json(parsing: "false"))
        #expect(try Json(parsing: "1") != Json(parsing: "\"1\""))
        #expect(try Json(parsing: "0") != Json(parsing: "false"))
    }

    @Test("two members with one name are both kept and written; the first counts, as in a decoded entry")
    func duplicateKeys() throws {
        let text = #"{"a":1,"b":2,"a":3}"#
        var json = try Json(parsing: text)
        #expect(json.description == text)
        #expect(json["a"] == 1)
        #expect(json.members.map(\.key) == ["a", "b", "a"])
        #expect(json.object == ["a": 1, "b": 2])
        #expect(try json.decode([String: Int].self) == ["a": 1, "b": 2])
        #expect(try json == Json(parsing: #"{"b":2,"a":1,"a":3}"#))
        #expect(try json != Json(parsing: #"{"b":2,"a":3,"a":1}"#))
        #expect(try json != Json(parsing: #"{"a":1,"b":2}"#))
        json["a"] = 9
        #expect(json.description == #"{"a":9,"b":2}"#)
    }

    @Test("large objects find, set and remove their members like small ones", arguments: [15, 16, 17, 500])
    func largeObjects(count: Int) throws {
        let text = "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + ",\"k0\":-1}"
        var json = try Json(parsing: text)
        #expect(json.description == text)
        for index in 0..<count { #expect(json["k\(index)"]?.int == index) }
        json["k0"] = "first"
        json["k3"] = nil
        json["new"] = true
        #expect(json["k0"] == "first")
        #expect(json["k3"] == nil)
        #expect(json["k4"] == 4)
        #expect(json["new"] == true)
        #expect(json.members.count == count)
    }

    @Test("a value made from bytes is the value that is read from them, for any number of concurrent readers")
    func undecoded() async throws {
        let text = #"{"a":[1,2,{"b":null}]}"#
        let json = Json(undecoded: Data(text.utf8))
        await withTaskGroup(of: Json?.self) { group in
            for _ in 0..<16 { group.addTask { json["a"]?[2] } }
            for await part in group { #expect(part == ["b": nil]) }
        }
        #expect(try json == Json(parsing: text))
        #expect(try json.hashValue == Json(parsing: text).hashValue)
        var changed = json
        changed["a"] = 1
        #expect(changed == ["a": 1])
        #expect(json["a"]?[0] == 1)
    }

    @Test("undecoded bytes are passed on unchanged, and parsed if another form is requested")
    func handsBytesOn() throws {
        let text = "{ \"b\" : 1, \"a\":1.0 }"
        let json = Json(undecoded: Data(text.utf8))
        #expect(try json.data() == Data(text.utf8))
        #expect(try json.text(sortedKeys: true) == #"{"a":1.0,"b":1}"#)
    }

    @Test("bytes that are not JSON look empty, and say why when they are read")
    func invalidBytes() throws {
        let json = Json(undecoded: Data("{\"a\":".utf8))
        #expect(json["a"] == nil)
        #expect(json.object == nil)
        #expect(!json.isNull)
        #expect(throws: JsonError.self) { try json.parsed() }
        #expect(json.description.hasPrefix("<no JSON"))
        #expect(json == Json(undecoded: Data("{\"a\":".utf8)))
        #expect(json != Json(undecoded: Data("{\"b\":".utf8)))
        #expect(json != .null)
        #expect(Json(undecoded: Data(" nul".utf8)).isNull == false)
        #expect(Json(undecoded: Data(" null ".utf8)).isNull)
    }
}

import CoreNetKitHTTP
import TestPace

@Suite("Fields in wire order", .timeLimit(.minutes(10)), .paced)
struct HeadersTests {
    private let headers: Headers = ["A": "1", "b": "2", "a": "3", "C": "4"]

    @Test("are found by name in any case; the first value represents all")
    func found() {
        #expect(headers["a"] == "1" && headers["B"] == "2" && headers["d"] == nil)
        #expect(headers[values: "A"] == ["1", "3"])
        #expect(headers.contains("c") && !headers.contains("d") && !headers.contains("aa"))
        #expect(headers.map(\.name) == ["A", "b", "a", "C"])
        #expect(headers.count == 4 && headers[3].value == "4")
    }

    @Test("setting a value replaces all of its name, in the first one's place; nil removes them")
    func set() {
        var changed = headers
        changed["a"] = "5"
        #expect(changed.map { "\($0.name)=\($0.value)" } == ["a=5", "b=2", "C=4"])
        changed["c"] = "6"
        changed["D"] = "7"
        #expect(changed.map { "\($0.name)=\($0.value)" } == ["a=5", "b=2", "c=6", "D=7"])
        changed["B"] = nil
        changed.remove("A")
        changed.append("c", "8")
        #expect(changed.map { "\($0.name)=\($0.value)" } == ["c=6", "D=7", "c=8"])
    }

    @Test("are merged name by name; repeated values stay repeated")
    func merge() {
        var changed = headers
        changed.merge(["a": "x", "A": "y", "E": "z"])
        #expect(changed.map { "\($0.name)=\($0.value)" } == ["b=2", "C=4", "a=x", "A=y", "E=z"])
    }

    @Test("many are merged as fast as each of them is found, in any case", arguments: [16, 17, 50_000])
    func mergeMany(count: Int) {
        var changed = Headers()
        var others = Headers()
        for number in 0..<count {
            changed.append("Name-\(number)", "old")
            others.append("name-\(number)", "new")
        }
        changed.append("Name-\(count)", "kept")
        changed.merge(others)
        #expect(changed.count == count + 1)
        #expect(changed[0].value == "kept" && !changed.dropFirst().contains { $0.value != "new" })
    }

    @Test("are equal and hashed regardless of the case of names, but with regard to values and order")
    func equal() {
        let same: Headers = ["a": "1", "B": "2", "A": "3", "c": "4"]
        #expect(headers == same && headers.hashValue == same.hashValue)
        #expect(headers != ["a": "1", "B": "2", "A": "3", "c": "5"])
        #expect(headers != ["B": "2", "a": "1", "A": "3", "c": "4"])
    }

    @Test("names compare only ASCII letters without case, never their neighbours in the table")
    func matching() {
        #expect(Headers.matches("Content-Type", "cONTENT-tYPE"))
        for (left, right) in [("@", "`"), ("[", "{"), ("Z", "["), ("-", "_"), ("a", "ab"), ("k", "\u{212A}")] {
            #expect(!Headers.matches(left, right))
        }
        #expect(Headers.lowered(0x41) == 0x61 && Headers.lowered(0x5A) == 0x7A)
        for byte: UInt8 in [0x40, 0x5B, 0x61, 0x7A, 0xC1] { #expect(Headers.lowered(byte) == byte) }
    }
}

import CoreNetKitJson
import CoreNetKitStreams
import TestSupport

extension JsonPieceParser {
    /// Reads all chunks; a faulty piece is written as its code in angle brackets.
    func read(_ chunks: [Data]) -> (reading: Reading<String>, parser: Self) {
        var parser = self
        var reading = Reading<String>()
        let text = { (piece: JsonPiece) in
            piece.fault.map { "<\($0.code)>" } ?? String(decoding: piece.bytes, as: UTF8.self)
        }
        do throws(StreamError) {
            for chunk in chunks {
                parser.feed(chunk)
                while let piece = try parser.next() { reading.elements.append(text(piece)) }
            }
            while let piece = try parser.finish() { reading.elements.append(text(piece)) }
        } catch {
            reading.code = "\(error.code)"
        }
        return (reading, parser)
    }

    /// Checks one text in every cut.
    func expect(
        _ text: String,
        gives elements: [String],
        code: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for chunks in Cuts.all(of: Array(text.utf8)) {
            let texts = chunks.map { String(decoding: $0, as: UTF8.self) }
            let expected = Reading(elements: elements, code: code)
            #expect(read(chunks).reading == expected, "\(texts)", sourceLocation: sourceLocation)
        }
    }
}

@Suite("JSON by pieces: lines and sequences", .timeLimit(.minutes(10)), .paced)
struct JsonPieceTests {
    @Test("a line is an element: LF or CRLF, the last one optional, empty ones skipped")
    func lines() {
        JsonLineParser().expect("{\"a\":1}\n[2]\r\n\n  \r\n 3 \n\"x\"", gives: ["{\"a\":1}", "[2]", "3", "\"x\""])
        JsonLineParser().expect("", gives: [])
        JsonLineParser().expect("\n\n", gives: [])
    }

    @Test("only the piece at the end of the content says so")
    func lastLine() throws {
        var parser = JsonLineParser()
        parser.feed(Data("1\n2".utf8))
        let first = try parser.next()
        #expect(first?.isLast == false)
        let none = try parser.next()
        #expect(none?.bytes == nil)
        let last = try parser.finish()
        #expect(last?.isLast == true)
        #expect(last?.offset == 2)
        #expect(last?.index == 1)
    }

    @Test("a line or text longer than its limit fails wherever it is cut")
    func limits() {
        JsonLineParser(limit: 8).expect("12345678\n1", gives: ["12345678", "1"])
        JsonLineParser(limit: 8).expect("1\n123456789\n", gives: ["1"], code: "elementTooLarge")
        JsonLineParser(limit: 8).expect("1\n123456789", gives: ["1"], code: "elementTooLarge")
        JsonSequenceParser(limit: 4).expect("\u{1E}1\n\u{1E}\"abcdef\"\n", gives: ["1"], code: "elementTooLarge")
    }

    @Test("a text between separator and line feed is an element; consecutive separators give none")
    func sequences() {
        let text = "\u{1E}{\"a\": [1,\n2]}\n\u{1E}\u{1E}\"x y\"\n\u{1E}3\n"
        JsonSequenceParser().expect(text, gives: ["{\"a\": [1,\n2]}", "\"x y\"", "3"])
        JsonSequenceParser().expect("\u{1E}[1]\u{1E}\"a\"", gives: ["[1]", "\"a\""])
        JsonSequenceParser().expect("", gives: [])
        JsonSequenceParser().expect("\u{1E}", gives: [])
    }

    @Test("a number or word without white space after it is truncated", arguments: ["12", "true", "false", "null"])
    func cutScalars(_ word: String) {
        JsonSequenceParser().expect("\u{1E}\(word)\u{1E}[1]\n", gives: ["<cut>", "[1]"])
        JsonSequenceParser().expect("\u{1E}[1]\n\u{1E}\(word)", gives: ["[1]", "<cut>"])
    }

    @Test("damage extends to the next separator and no further")
    func damage() {
        JsonSequenceParser().expect("\u{1E}1 2 [3]\n\u{1E}4\n", gives: ["1", "<malformed>", "4"])
        JsonSequenceParser().expect("\u{1E}\"a\n\n\u{1E}4\n", gives: ["\"a", "4"])
        JsonSequenceParser().expect("what\n\u{1E}4\n", gives: ["<malformed>", "4"])
        JsonSequenceParser().expect("\u{1E}{\"a\":\u{1E}4\n", gives: ["{\"a\":", "4"])
        JsonSequenceParser().expect("\u{1E}]x\n\u{1E}4\n", gives: ["]x", "4"])
    }

    @Test("a text of the sequence is returned without waiting for the next separator")
    func noWait() throws {
        var parser = JsonSequenceParser()
        parser.feed(Data("\u{1E}{\"a\":1}\n".utf8))
        let piece = try parser.next()
        #expect(piece?.bytes == Data("{\"a\":1}".utf8))
    }
}

@Suite("JSON by pieces: the elements of an array", .timeLimit(.minutes(10)), .paced)
struct JsonElementTests {
    @Test("each element is returned as it was written, respecting strings and nesting")
    func top() {
        let array = "[1, \"a,]\\\"}\" ,[2,[3]],{\"x\":[1,2],\"y\":\"]\"}, null,-1.5e3 ]"
        let elements = ["1", "\"a,]\\\"}\"", "[2,[3]]", "{\"x\":[1,2],\"y\":\"]\"}", "null", "-1.5e3"]
        JsonElementParser(at: "").expect(array, gives: elements)
        JsonElementParser(at: "").expect(" [ ] \n", gives: [])
        JsonElementParser(at: "").expect("\u{FEFF}[1]", gives: ["1"])
    }

    @Test("the rest of the text is kept, members before and after the array")
    func rest() throws {
        let text =
            "{\"total\":2,\"data\":{\"a\":[9],\"items\":[{\"id\":1},{\"id\":2}],\"b\":{\"items\":[7]}},\"next\":\"x\"}"
        for chunks in Cuts.all(of: Array(text.utf8)) {
            let (reading, parser) = JsonElementParser(at: "data.items").read(chunks)
            #expect(reading == Reading(elements: ["{\"id\":1}", "{\"id\":2}"]))
            let rest = try Json(parsing: #require(parser.rest))
            #expect(rest == ["total": 2, "data": ["a": [9], "items": [], "b": ["items": [7]]], "next": "x"])
        }
    }

    @Test(
        "the array is found only by its path, and the first of two members counts",
        arguments: [
            ("{\"x\":{\"items\":[1]},\"items\":[2]}", ["2"]),
            ("{\"items\":[1],\"items\":[2]}", ["1"]),
            ("{\"x\":\"items\",\"y\":[\"items\",[3]],\"items\":[4]}", ["4"]),
            ("{\"it\\u0065ms\":[5]}", ["5"]),
            ("{\"items\":null}", []),
            ("{ \"items\" : [ ] }", []),
        ]
    )
    func path(_ text: String, _ elements: [String]) {
        JsonElementParser(at: "items").expect(text, gives: elements)
    }

    @Test(
        "content without an array at the path, truncated content and invalid JSON are separate errors",
        arguments: [
            ("{\"a\":1}", [], "missingArray"), ("{\"items\":{}}", [], "missingArray"), ("[1]", [], "missingArray"),
            ("{\"data\":1}", [], "missingArray"), ("", [], "cut"), ("{\"items\":[1,2", ["1"], "cut"),
            ("{\"items\":[1,2]", ["1", "2"], "cut"), ("{\"items\":[1,2],", ["1", "2"], "cut"),
            ("{\"items\":[\"a", [], "cut"),
            ("{\"items\":[1,,2]}", ["1"], "malformed"), ("{\"items\":[1,]}", ["1"], "malformed"),
            ("{\"items\":[,]}", [], "malformed"), ("{\"items\":[1 2]}", ["1"], "malformed"),
            ("{\"items\":[1}]", ["1"], "malformed"), ("{\"items\":[1]]", ["1"], "malformed"),
            ("{\"items\":[1]}}", ["1"], "malformed"),
            ("{\"items\":[1]} x", ["1"], "malformed"), ("{\"items\" [1]}", [], "malformed"),
        ] as [(String, [String], String)]
    )
    func faults(_ text: String, _ elements: [String], _ code: String) {
        for chunks in Cuts.all(of: Array(text.utf8)) {
            let reading = JsonElementParser(at: "items").read(chunks).reading
            #expect(reading.code != nil, "\(text)")
            if chunks.count == 1 { #expect(reading == Reading(elements: elements, code: code), "\(text)") }
        }
    }

    @Test("one element or one remainder larger than its limit fails wherever it is cut")
    func limits() {
        JsonElementParser(at: "", limit: 6).expect("[\"abcd\",\"abcde\"]", gives: ["\"abcd\""], code: "elementTooLarge")
        let long = "{\"x\":\"0123456789abcdef\",\"a\":[]}"
        JsonElementParser(at: "a", limit: 16).expect(long, gives: [], code: "elementTooLarge")
    }

    @Test("random values in an array come out as they went in")
    func randomValues() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<40 {
            let values = (0..<5).map { _ in Self.value(&random, depth: 3) }
            let text = "{\"a\":\(Self.value(&random, depth: 2)),\"list\":[\(values.joined(separator: " , "))],\"z\":1}"
            for chunks in [
                [Data(text.utf8)], Cuts.chunks(Array(text.utf8), of: 1), Cuts.chunks(Array(text.utf8), of: 5),
            ] {
                #expect(JsonElementParser(at: "list").read(chunks).reading == Reading(elements: values), "\(text)")
            }
        }
    }

    private static func value(_ random: inout SplitMix64, depth: Int) -> String {
        let pick = random.next() % (depth == 0 ? 4 : 6)
        let inner = pick < 4 ? [] : (0..<(random.next() % 4)).map { _ in value(&random, depth: depth - 1) }
        return switch pick {
        case 0: "\(Int64(truncatingIfNeeded: random.next()))"
        case 1: ["true", "false", "null"][Int(random.next() % 3)]
        case 2: "\"\\\"[{,\\\\\""
        case 3: "\"é\\u00e9]}\""
        case 4: "[" + inner.joined(separator: ", ") + "]"
        default: "{" + inner.enumerated().map { "\"list\($0)\": \($1)" }.joined(separator: ",") + "}"
        }
    }
}

import CoreNetKitStreams
import TestSupport

@Suite("Multipart bodies by parts", .timeLimit(.minutes(10)), .paced)
struct PartParserTests {
    private func read(_ chunks: [Data], boundary: String = "b") -> Reading<String> {
        var parser = PartParser(boundary: boundary)
        var reading = Reading<String>()
        var part = ""
        do throws(StreamError) {
            for chunk in chunks {
                parser.feed(chunk)
                while let token = try parser.next() {
                    switch token {
                    case .head(let headers): part = headers.map { "\($0.name)=\($0.value);" }.joined() + "|"
                    case .content(let data): part += String(decoding: data, as: UTF8.self)
                    case .end: reading.elements.append(part)
                    }
                }
            }
            try parser.finish()
        } catch {
            reading.code = "\(error.code)"
        }
        return reading
    }

    private func expect(
        _ text: String,
        _ parts: [String],
        code: String? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        for chunks in Cuts.all(of: Array(text.utf8)) {
            #expect(read(chunks) == Reading(elements: parts, code: code), sourceLocation: location)
        }
    }

    @Test("parts are the content between the delimiters; preamble and epilogue are dropped")
    func parts() {
        let text = "preamble\r\n--b\r\nA: 1\r\nB:  2 \r\n\r\none\r\n--b  \r\n\r\ntwo\r\nlines\r\n--b--\r\nepilogue --b"
        expect(text, ["A=1;B=2;|one", "|two\r\nlines"])
        expect("--b\r\n\r\n\r\n--b--", ["|"])
        expect("--b\r\n\r\n--b--", ["|"])
        expect("--b\r\nA: 1\r\n\r\n--b--", ["A=1;|"])
        expect("--b--", [])
    }

    @Test("what only looks like a delimiter is content")
    func lookAlikes() {
        expect("--b\r\n\r\n--bx\r\n-b\r\n--\r\r\n--bb\r\n--b x\r\n--b--", ["|--bx\r\n-b\r\n--\r\r\n--bb\r\n--b x"])
    }

    @Test("a part is complete with the next delimiter and not before")
    func completes() throws {
        var parser = PartParser(boundary: "-")
        parser.feed(Data("---\r\nContent-Type: application/json\r\n\r\n{}\r\n---".utf8))
        var tokens = [try parser.next(), try parser.next(), try parser.next()]
        #expect(tokens == [.head(["Content-Type": "application/json"]), .content(Data("{}".utf8)), nil])
        parser.feed(Data("\r\n".utf8))
        tokens = [try parser.next(), try parser.next()]
        #expect(tokens == [.end, nil])
    }

    @Test(
        "a body without its last delimiter is truncated",
        arguments: ["", "x", "--b", "--b\r\n\r\nx", "--b\r\n\r\nx\r\n--b\r\n"]
    )
    func cut(_ text: String) {
        for chunks in Cuts.all(of: Array(text.utf8)) { #expect(read(chunks).code == "cut") }
    }

    @Test("invalid or unterminated fields are errors")
    func badFields() {
        expect("--b\r\nnothing\r\n\r\nx\r\n--b--", [], code: "malformed")
        let long = "--b\r\nA: " + String(repeating: "x", count: 70_000)
        #expect(read([Data(long.utf8)]).code == "lineTooLong")
    }

    @Test(
        "the fields of a part may have as many bytes as their limit, and no more",
        arguments: [(10, true), (11, false)]
    )
    func headLimit(_ count: Int, _ isFine: Bool) throws {
        var parser = PartParser(boundary: "b", headLimit: 10)
        parser.feed(Data(("--b\r\n" + String(repeating: "x", count: count)).utf8))
        do {
            let token = try parser.next()
            #expect(isFine && token == nil)
        } catch {
            #expect(!isFine && error.code == .lineTooLong)
        }
    }

    @Test(
        "the boundary comes from the media type",
        arguments: [
            ("multipart/mixed; boundary=b", true), ("Multipart/Mixed; charset=x; BOUNDARY=\"b\"", true),
            ("multipart/mixed", false), ("text/plain; boundary=b", false), ("", false),
        ]
    )
    func boundary(_ type: String, _ isFine: Bool) {
        do throws(StreamError) {
            _ = try PartParser(mediaType: type)
            #expect(isFine)
        } catch {
            #expect(!isFine && error.code == .missingBoundary)
        }
    }
}

import CoreNetKitHTTP
import CoreNetKitWire
import TestPace

@Suite("A request that is written")
struct RequestWriterTests {
    private func written(_ write: (inout RequestWriter) -> Void) -> String {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 1)
        defer { memory.deallocate() }
        var writer = RequestWriter(memory)
        #expect(writer.count == 0)
        write(&writer)
        return String(decoding: UnsafeRawBufferPointer(start: memory, count: writer.count), as: UTF8.self)
    }

    @Test(
        "has a space before a field's value, and nothing behind the colon of an empty one",
        arguments: [
            ("A", "1", "A: 1\r\n"), ("X-Long-Name", "two words", "X-Long-Name: two words\r\n"), ("A", "", "A:\r\n"),
        ]
    )
    func field(name: String, value: String, line: String) {
        #expect(written { $0.field(name, value) } == line)
        #expect(line.utf8.count <= name.utf8.count + value.utf8.count + RequestWriter.fieldOverhead)
    }

    static let framings: [(RequestFraming, String)] = [
        (.none, "\r\n"), (.length(0), "Content-Length: 0\r\n\r\n"), (.length(-1), "Content-Length: 0\r\n\r\n"),
        (.length(9), "Content-Length: 9\r\n\r\n"), (.length(10), "Content-Length: 10\r\n\r\n"),
        (.length(.max), "Content-Length: 9223372036854775807\r\n\r\n"),
        (.chunked, "Transfer-Encoding: chunked\r\n\r\n"),
    ]

    @Test("ends its head with what delimits its content", arguments: framings)
    func framing(_ framing: RequestFraming, text: String) { #expect(written { $0.endHead(framing) } == text) }

    @Test(
        "has the size of a chunk before it, in hexadecimal digits",
        arguments: [
            (0, "0"), (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (65_535, "ffff"), (1 << 40, "10000000000"),
        ]
    )
    func chunk(size: Int, digits: String) {
        #expect(written { $0.chunk(size: size) } == digits + "\r\n")
        #expect(digits.utf8.count + 4 <= RequestWriter.chunkOverhead)
    }

    @Test("is what was written, in that order")
    func whole() {
        var text = "before /path after"
        let request = written { writer in
            writer.write("POST ")
            writer.write(&text, 7..<12)
            writer.write(" HTTP/1.1")
            writer.endLine()
            writer.field("Host", "example.com")
            writer.endHead(.chunked)
            writer.chunk(size: 2)
            Array("hi".utf8).withUnsafeBytes { writer.write($0) }
            writer.endLine()
            writer.write(UnsafeRawBufferPointer(start: nil, count: 0))
            writer.lastChunk()
        }
        let head = "POST /path HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(request == head + "2\r\nhi\r\n0\r\n\r\n")
    }

    @Test("the last chunk has the fields behind the content, and the announced size")
    func trailers() {
        for trailers in [[], [("X-Sum", "6")], [("X-Sum", ""), ("X-Other", "a b")]] as [[(String, String)]] {
            let fields = Array(Headers(trailers))
            let text = written { $0.lastChunk(fields) }
            #expect(text == "0\r\n" + trailers.map { "\($0):\($1.isEmpty ? "" : " \($1)")\r\n" }.joined() + "\r\n")
            #expect(text.utf8.count <= RequestWriter.lastChunkCount(fields))
        }
    }
}

@Suite("How much of a request its server may have")
struct RequestProgressTests {
    @Test(
        "further sending does not revert what has arrived",
        arguments: RequestProgress.allCases,
        [RequestProgress.head, .part, .all]
    )
    func advance(from start: RequestProgress, to next: RequestProgress) {
        var progress = start
        progress.advance(to: next)
        #expect(progress == ([.responded, .refused].contains(start) ? start : next))
    }
}

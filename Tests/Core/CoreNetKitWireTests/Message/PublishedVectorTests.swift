import CoreNetKitHTTP
import CoreNetKitWire
import TestPace

/// The responses that llhttp is tested with, by their log of what its strict parser makes of each:
/// `LLHTTP_VECTORS=<llhttp>/test/response`.
@Suite("Published vectors of llhttp", .timeLimit(.minutes(10)), .paced)
struct PublishedVectorTests {
    static let folder = ProcessInfo.processInfo.environment["LLHTTP_VECTORS"]

    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let input: [UInt8]
        let log: [String]
        var testDescription: String { name }

        /// The log of the first message that is a final response.
        var first: ArraySlice<String> {
            let messages = log.split { $0.hasSuffix("message begin") }
            return messages.first { (Self.status(of: $0) ?? 200) >= 200 } ?? messages.last ?? []
        }
        /// Whether it was refused before its end; what is behind it is another matter.
        var isRefused: Bool { !isComplete && first.contains { $0.contains("error code=") } }
        var isComplete: Bool { first.contains { $0.hasSuffix(" message complete") } }
        var status: Int? { Self.status(of: first) }

        private static func status(of log: ArraySlice<String>) -> Int? {
            log.last { $0.contains("headers complete") }?.firstMatch(of: /status=(\d+)/).flatMap { Int($0.1) }
        }

        var contentCount: Int {
            first.compactMap { $0.firstMatch(of: /len=(\d+) span\[body\]/) }.reduce(0) { $0 + (Int($1.1) ?? 0) }
        }
    }

    /// Where another verdict is ours, and why.
    static let differences: [String: String] = [
        "sample.md: RTSP response": "another protocol",
        "sample.md: ICE response": "another protocol",
        "sample.md: HTTP version 0.9": "not HTTP/1 (RFC 9112, 2.3)",
        "sample.md: No carriage ret": "a line may end with LF alone (RFC 9112, 2.2)",
        "invalid.md: Only LFs present and no body": "a line may end with LF alone (RFC 9112, 2.2)",
        "invalid.md: Only LFs present": "a line may end with LF alone (RFC 9112, 2.2)",
        "sample.md: Response starting with CRLF": "only servers pass over empty lines (RFC 9112, 2.2)",
        "connection.md: HTTP 100 first, then 400": "only servers pass over empty lines (RFC 9112, 2.2)",
        "transfer-encoding.md: Trailing space on chunked body": "servers pad sizes, and libcurl reads them",
        "transfer-encoding.md: No extension after semicolon": "an empty extension says nothing, and libcurl reads it",
        "transfer-encoding.md: `chunked` before other transfer-encoding": "a coding nobody asked for (RFC 9112, 6.1)",
        "transfer-encoding.md: multiple transfer-encoding where chunked is not the last one":
            "chunked more than once, or before another (RFC 9112, 6.1)",
        "transfer-encoding.md: `chunkedchunked` transfer-encoding does not enable chunked enconding":
            "a coding nobody asked for (RFC 9112, 6.1)",
        "connection.md: HTTP 101 response with Upgrade and Content-Length header":
            "nobody asked for it (RFC 9110, 15.2.2)",
        "connection.md: HTTP 101 response with Upgrade and Transfer-Encoding header":
            "nobody asked for it (RFC 9110, 15.2.2)",
    ]

    @Test("are read as llhttp reads them, or refused", .enabled(if: folder != nil, "LLHTTP_VECTORS names the folder"))
    func all() throws {
        let folder = URL(filePath: try #require(Self.folder))
        var (played, differing) = (0, Set<String>())
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            guard file.pathExtension == "md" else { continue }
            for vector in Self.vectors(of: try String(contentsOf: file, encoding: .utf8), in: file.lastPathComponent) {
                played += 1
                let reading = Reading(ResponseReader(), [vector.input])
                for pieces in vector.input.splits { #expect(Reading(ResponseReader(), pieces) == reading) }
                guard !Self.agrees(reading, vector) else { continue }
                differing.insert(vector.name)
            }
        }
        #expect(played > 40)
        #expect(differing == Set(Self.differences.keys))
    }

    private static func agrees(_ reading: Reading, _ vector: Vector) -> Bool {
        if vector.isRefused { return reading.fault != nil }
        // A message without an end ends with the connection.
        if reading.fault != nil { return !vector.isComplete && reading.fault == .cutContent }
        return reading.status == vector.status && reading.content.count == vector.contentCount
    }

    /// The strict vectors of a file: a heading, the message in a block, the log in another.
    static func vectors(of text: String, in file: String) -> [Vector] {
        var (name, meta, found): (String, String, [Vector]) = ("", "", [])
        var blocks: [String: String] = [:]
        var block: (kind: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let open = block {
                if line == "```" {
                    blocks[open.kind] = open.lines.map { $0 + "\n" }.joined()
                    block = nil
                    if open.kind == "log", let input = blocks["http"], !meta.contains("lenient"),
                        !meta.contains("pause"),
                        !meta.contains("skipBody")
                    {
                        let log = open.lines.map(String.init)
                        found.append(Vector(name: "\(file): \(name)", input: bytes(input), log: log))
                    }
                } else {
                    block?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                block = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("#") {
                name = line.drop { $0 == "#" || $0 == " " }.description
            } else if line.hasPrefix("<!-- meta=") {
                meta = String(line)
            }
        }
        return found
    }

    /// As llhttp's own runner reads a block.
    private static func bytes(_ block: String) -> [UInt8] {
        var text = block.hasSuffix("\n") ? String(block.dropLast()) : block
        text.replace("\\\n", with: "")
        text.replace("\n", with: "\r\n")
        for (escape, character) in [("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\f", "\u{c}")] {
            text.replace(escape, with: character)
        }
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while let match = rest.firstMatch(of: /\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})/) {
            bytes += Array(rest[..<match.range.lowerBound].utf8)
            bytes.append(match.1.flatMap { UInt8($0, radix: 16) } ?? match.2.flatMap { UInt8($0, radix: 8) } ?? 0)
            rest = rest[match.range.upperBound...]
        }
        return bytes + Array(rest.utf8)
    }
}

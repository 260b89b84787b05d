import CoreNetKitHTTP
import CoreNetKitWire
import TestPace

/// The messages on which servers and proxies were found to differ: `GARDEN_VECTORS=<http-garden>/TROPHIES.md`.
///
/// They are requests; fields, framing and chunks are those of responses (RFC 9112, 5 to 7), so each is read behind a status
/// line of its own version.
@Suite("Ambiguous messages of the HTTP Garden", .timeLimit(.minutes(10)), .paced)
struct GardenVectorTests {
    static let file = ProcessInfo.processInfo.environment["GARDEN_VECTORS"]

    struct Vector: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    struct Accepted: Sendable, Equatable {
        var content = ""
        /// Bytes that belong to nobody: the connection ends with them (RFC 9112, 9.2).
        var left = 0
        var keeps = true
    }

    /// Those that are no error, by the section that says so; all others are refused.
    static let accepted: [String: Accepted] = [
        // A request line is not read here (RFC 9112, 3).
        "server 6": Accepted(keeps: false), "server 7": Accepted(keeps: false),
        // A line may end with LF alone (RFC 9112, 2.2).
        "server 19": Accepted(content: "GET / HTTP/1.1\r\n\r\n", keeps: false), "transducer 16": Accepted(keeps: false),
        // Empty elements of a list are passed over (RFC 9110, 5.6.1.2).
        "transducer 9": Accepted(),
        // The same, or nothing else: with both fields it is chunked, and not kept (RFC 9112, 6.3).
        "server 21": Accepted(keeps: false), "transducer 18": Accepted(keeps: false),
        "transducer 23": Accepted(keeps: false),
        // `X` is a field behind the last chunk (RFC 9112, 7.1.2).
        "server 39": Accepted(),
        // Bytes beyond ASCII may be in values (RFC 9110, 5.5).
        "server 41": Accepted(keeps: false),
        // Without a length a response goes on to the connection's end (RFC 9112, 6.3).
        "server 45": Accepted(content: "Invalid\r\n\r\n", keeps: false),
        // Nothing wrong; behind a length of 0, the rest is nobody's (RFC 9112, 9.2).
        "server 48": Accepted(left: 89), "transducer 21": Accepted(content: "1234567890"),
    ]

    @Test("are refused, or read as the RFC sections say", .enabled(if: file != nil, "GARDEN_VECTORS names the file"))
    func all() throws {
        let vectors = Self.vectors(in: try String(contentsOfFile: try #require(Self.file), encoding: .utf8))
        #expect(vectors.count > 65)
        for vector in vectors {
            let reading = Reading(ResponseReader(), [vector.bytes])
            for pieces in vector.bytes.splits {
                #expect(Reading(ResponseReader(), pieces) == reading, "\(vector.name)")
            }
            let keeps = reading.keepsConnection ?? false
            let read = Accepted(content: reading.text, left: reading.left.count, keeps: keeps)
            #expect(Self.accepted[vector.name] == (reading.fault == nil ? read : nil), "\(vector.name): \(reading)")
        }
    }

    static func vectors(in text: String) -> [Vector] {
        var (vectors, section, number) = ([Vector](), "", "")
        for line in text.split(separator: "\n") {
            if let match = line.prefixMatch(of: /#+ (\w+)/) { section = match.1.lowercased() }
            if let match = line.prefixMatch(of: /(\d+)\.[ ]/) { number = String(match.1) }
            guard section == "server" || section == "transducer", line.contains("- Payload: `") else { continue }
            let message = line.matches(of: /`([^`]*)`/).flatMap { ForeignText.bytes($0.1) }
            vectors.append(Vector(name: "\(section) \(number)", bytes: response(message)))
        }
        return vectors
    }

    /// The message with a status line in place of its first line, which gives the version.
    private static func response(_ request: [UInt8]) -> [UInt8] {
        let end = request.firstIndex(of: 0x0A) ?? request.count - 1
        let line = String(decoding: request[..<end], as: UTF8.self)
        let hasReturn = request[..<end].last == 0x0D
        var version = "HTTP/1.1"
        if let found = line.firstRange(of: "HTTP/") {
            let start = line.utf8.distance(from: line.startIndex, to: found.lowerBound)
            version = String(decoding: request[start..<(hasReturn ? end - 1 : end)], as: UTF8.self)
        }
        return Array((version + " 200 OK" + (hasReturn ? "\r" : "")).utf8) + request[end...]
    }
}

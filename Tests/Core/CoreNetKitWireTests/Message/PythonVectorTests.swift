import CoreNetKitHTTP
import CoreNetKitWire
import TestPace

/// What h11's tests of its readers expect of heads and bodies: `H11_VECTORS=<h11>/h11/tests/test_io.py`.
///
/// The fields of its requests are read behind a status line: they are the same lines (RFC 9112, 5).
@Suite("Published vectors of h11", .timeLimit(.minutes(10)), .paced)
struct PythonVectorTests {
    static let file = ProcessInfo.processInfo.environment["H11_VECTORS"]

    enum Verdict: Sendable {
        case refused
        case head(status: Int, fields: [[String]])
        case body([UInt8], trailers: [[String]])
    }

    struct Vector: Sendable {
        let name: String
        let bytes: [UInt8]
        let verdict: Verdict
        /// Whether the message is behind us where its bytes end, so that others may follow.
        let isDelimited: Bool
    }

    /// Where another verdict is ours, and why.
    static let differences: [String: String] = [
        "test_allow_some_garbage_in_cookies 1": "a control character in a value (RFC 9110, 5.5)",
        "test_reject_garbage_after_response_line 1": "the line of a request, which is not read here (RFC 9112, 3)",
    ]

    @Test("are read as h11 reads them, or refused", .enabled(if: file != nil, "H11_VECTORS names the file"))
    func all() throws {
        let vectors = Self.vectors(in: try String(contentsOfFile: try #require(Self.file), encoding: .utf8))
        #expect(vectors.count > 35)
        var differing = Set<String>()
        for vector in vectors {
            let reader = ResponseReader(expectsUpgrade: true)
            let reading = Reading(reader, [vector.bytes])
            for pieces in vector.bytes.splits { #expect(Reading(reader, pieces) == reading, "\(vector.name)") }
            if vector.isDelimited {
                let more = Reading(reader, [vector.bytes + Array("trailing".utf8)])
                #expect(more.left == Array("trailing".utf8) && more.content == reading.content, "\(vector.name)")
            }
            if !Self.agrees(reading, vector.verdict) { differing.insert(vector.name) }
        }
        #expect(differing == Set(Self.differences.keys))
    }

    private static func agrees(_ reading: Reading, _ verdict: Verdict) -> Bool {
        switch verdict {
        case .refused: reading.fault != nil
        case .head(let status, let fields):
            reading.fault == nil && (reading.hasSwitched ? 101 : reading.status) == status
                && Self.fields(of: reading.head, skipsFirst: true) == fields
        case .body(let content, let trailers):
            reading.fault == nil && reading.hasEnded && reading.content == content
                && Self.fields(of: reading.trailers, skipsFirst: false) == trailers
        }
    }

    private static func fields(of lines: String, skipsFirst: Bool) -> [[String]] {
        var lines = lines
        return lines.withUTF8 { bytes in
            HeaderLines.fields(in: UnsafeRawBufferPointer(bytes), skipsFirst: skipsFirst)
                .map { [$0.name.lowercased(), $0.value] }
        }
    }

    static func vectors(in text: String) -> [Vector] {
        var (vectors, function, number, isRefused) = ([Vector](), "SIMPLE_CASES", 0, false)
        var index = text.startIndex
        while index < text.endIndex {
            let line = text[index...].prefix { $0 != "\n" }
            let code = line.drop(while: \.isWhitespace)
            if let match = line.prefixMatch(of: /def (\w+)/) {
                (function, number, isRefused) = (String(match.1), 0, false)
            }
            if code.hasPrefix("with ") {
                isRefused = code.contains("LocalProtocolError")
            } else if let match = code.prefixMatch(of: /(?:tr|t_body_reader|\(SERVER, SEND_RESPONSE\)(?=,))/),
                function == "SIMPLE_CASES" || code[match.range.upperBound...].hasPrefix("(")
            {
                let isSimple = function == "SIMPLE_CASES"
                let start = isSimple ? text[..<index].lastIndex(of: "(") ?? index : match.range.upperBound
                let inside = ForeignText.insideOfParentheses(text[start...])
                if let vector = vector("\(function) \(number + 1)", inside, isRefused) {
                    vectors.append(vector)
                    number += 1
                }
                isRefused = false
            }
            index = line.endIndex == text.endIndex ? text.endIndex : text.index(after: line.endIndex)
        }
        return vectors
    }

    /// One call, by its arguments: the reader, the bytes, what is expected.
    private static func vector(_ name: String, _ arguments: Substring, _ isRefused: Bool) -> Vector? {
        // A reason is a literal, too.
        let isSimple = name.hasPrefix("SIMPLE")
        guard let literal = arguments.firstRange(of: isSimple ? /b["']HTTP/ : /b["']/),
            let (bytes, rest) = ForeignText.pythonBytes(arguments[literal.lowerBound...])
        else { return nil }
        let expected = isSimple ? arguments[..<literal.lowerBound] : rest
        let isRefused = isRefused || expected.contains("LocalProtocolError")
        let ok = "HTTP/1.1 200 OK\r\n"
        func body(_ head: String, isDelimited: Bool) -> Vector {
            let content =
                expected.firstRange(of: "Data(data=").flatMap { ForeignText.pythonBytes(expected[$0.upperBound...]) }
            let message = Array((ok + head + "\r\n").utf8) + bytes
            if isRefused { return Vector(name: name, bytes: message, verdict: .refused, isDelimited: false) }
            let verdict = Verdict.body(content?.bytes ?? [], trailers: fields(in: expected))
            return Vector(name: name, bytes: message, verdict: verdict, isDelimited: isDelimited)
        }
        if arguments.hasPrefix("ChunkedReader") || arguments.drop(while: \.isWhitespace).hasPrefix("ChunkedReader") {
            return body("Transfer-Encoding: chunked\r\n", isDelimited: true)
        }
        if let match = arguments.firstMatch(of: /ContentLengthReader\((\d+)\)/) {
            return body("Content-Length: \(match.1)\r\n", isDelimited: true)
        }
        if arguments.contains("Http10Reader") { return body("", isDelimited: false) }
        let status = expected.firstMatch(of: /status_code=(\d+)/).flatMap { Int($0.1) } ?? 200
        var head = bytes
        if arguments.contains("CLIENT, IDLE"), let end = bytes.firstIndex(of: 0x0A) {
            head = Array(ok.utf8) + bytes[(end + 1)...]
        }
        let verdict = Verdict.head(status: status, fields: fields(in: expected))
        return Vector(name: name, bytes: head, verdict: isRefused ? .refused : verdict, isDelimited: false)
    }

    /// Pairs of strings: names, lowercased as h11 has them, and values.
    private static func fields(in text: Substring) -> [[String]] {
        text.matches(of: /\("([^"]*)",\s*"([^"]*)"\)/)
            .map { [$0.1.lowercased(), String(decoding: ForeignText.bytes($0.2), as: UTF8.self)] }
    }
}

/// Bytes as other people's tests and documents write them.
enum ForeignText {
    /// Undoes the escapes of C and Python: `\r`, `\n`, `\t`, `\\`, quotes, `\xNN`.
    static func bytes(_ text: Substring) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(Substring(rest.prefix(2))), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: bytes.append(kind)
            }
        }
        return bytes
    }

    /// The value of a Python expression at the beginning of a text, and what is behind it: literals, joined, repeated.
    static func pythonBytes(_ text: Substring) -> (bytes: [UInt8], rest: Substring)? {
        var (bytes, rest, hasFound) = ([UInt8](), text.drop(while: \.isWhitespace), false)
        while let match = rest.prefixMatch(of: /b(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/) {
            hasFound = true
            var piece = Self.bytes(match.1 ?? match.2 ?? "")
            rest = rest[match.range.upperBound...].drop(while: \.isWhitespace)
            if let times = rest.prefixMatch(of: /\*\s*(0x)?([0-9A-Fa-f]+)/) {
                let count = Int(times.2, radix: times.1 == nil ? 10 : 16) ?? 0
                piece = Array(repeatElement(piece, count: count).joined())
                rest = rest[times.range.upperBound...].drop(while: \.isWhitespace)
            }
            bytes += piece
            if rest.first == "+" { rest = rest.dropFirst().drop(while: \.isWhitespace) }
        }
        return hasFound ? (bytes, rest) : nil
    }

    /// The text from a parenthesis to the one that closes it, without either; strings are passed over.
    static func insideOfParentheses(_ text: Substring) -> Substring {
        var (depth, quote, isEscaped) = (0, Character?.none, false)
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if !isEscaped, character == open { quote = nil }
                isEscaped = !isEscaped && character == "\\"
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "(": depth += 1
            case ")":
                depth -= 1
                if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
            default: break
            }
        }
        return text.dropFirst()
    }
}

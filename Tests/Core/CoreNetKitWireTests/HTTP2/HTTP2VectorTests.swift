#if os(Linux)
    import TestPace

    @testable import CoreNetKitWire

    /// Frames and blocks of fields that implementers of HTTP/2 publish: `HTTP2_VECTORS` is a folder with checkouts of
    /// `http2jp/http2-frame-test-case` and `http2jp/hpack-test-case`.
    @Suite(
        "Published vectors of HTTP/2",
        .timeLimit(.minutes(30)),
        .paced,
        .enabled(if: folder != nil, "HTTP2_VECTORS names the folder")
    )
    struct HTTP2VectorTests {
        private struct FrameCase: Decodable {
            let error: [UInt32]?
            let wire: String
        }

        private struct Story: Decodable {
            struct Case: Decodable {
                let wire: String
                let headers: [[String: String]]
                let tableSize: Int?

                private enum CodingKeys: String, CodingKey {
                    case wire, headers
                    case tableSize = "header_table_size"
                }

                var isResponse: Bool { headers.contains { $0[":status"] != nil } }
                /// Whether it is no response of HTTP/2: the fields were recorded from HTTP/1.1.
                var isMalformed: Bool {
                    let names = ["connection", "keep-alive", "transfer-encoding"]
                    return !isResponse || headers.contains { $0.keys.contains(where: names.contains) }
                }
                var lines: [UInt8] { headers.flatMap { $0.map { "\($0.key): \($0.value)\r\n" } }.flatMap(\.utf8) }
            }

            let cases: [Case]
        }

        /// Where another verdict is ours, and why.
        private static let differences = [
            "goaway/normal.json":
                "the last stream of a client's GOAWAY is an even one; nghttp2 refuses that of a server"
        ]

        @Test("frames are read, or end a stream or the connection, with a code that the vector names")
        func frames() throws {
            let places = try Self.files("http2-frame-test-case")
            for (name, place) in places {
                let vector = try JSONDecoder().decode(FrameCase.self, from: Data(contentsOf: place))
                let outcome = try Self.outcome(of: Self.bytes(vector.wire), isValid: vector.error == nil)
                #expect(
                    Self.allowed(vector, name).contains(outcome) != Self.differences.keys.contains(name),
                    "\(name): \(outcome)"
                )
            }
            #expect(places.count >= 34)
        }

        /// The frame arrives for a client with open streams; a valid one for another stream is sent on one of these.
        private static func outcome(of wire: [UInt8], isValid: Bool) throws -> HTTP2ClientRule.Outcome {
            let client = try SessionClient()
            for _ in 0..<5 { _ = try client.begin() }
            client.send()
            var server = FrameWriter()
            server.settings()
            server.frame(4, 1)
            var wire = wire
            let (kind, stream): (UInt8, UInt8) = (wire[3], 9)
            if isValid, wire[8] > 0 { wire[8] = stream }
            if isValid, kind == 0 || kind == 8 { server.headers(9, [(":status", "200")]) }
            if kind == 9 { server.frame(1, 0, 9, FrameWriter.block([(":status", "200")])) }
            client.receive(server.bytes)
            client.send()
            if kind == 9 { wire += [0, 0, 0, 9, 4, 0, 0, 0, stream] }
            return try HTTP2ClientRule.outcome(of: wire, client)
        }

        private static func allowed(_ vector: FrameCase, _ name: String) -> [HTTP2ClientRule.Outcome] {
            if let error = vector.error {
                let codes = error.compactMap { HTTP2ClientRule.Code(rawValue: $0) }
                return codes.flatMap { [.stream($0), .connection($0)] }
            }
            let text = "746869732069732064756D6D79"
            switch name.split(separator: "/").first {
            case "push_promise": return [.connection(.protocolError)]
            // Their fields are a text that is no block.
            case "headers", "continuation":
                return vector.wire.contains(text) ? [.connection(.compression)] : [.continues]
            default: return [.continues]
            }
        }

        @Test(
            "blocks of fields are decoded as the story says; what is no response is refused, and the table stays in step"
        )
        func blocks() throws {
            var (decoded, refused, skipped) = (0, 0, 0)
            for (name, place) in try Self.files("hpack-test-case") where !name.hasPrefix("raw-data") {
                let story = try JSONDecoder().decode(Story.self, from: Data(contentsOf: place))
                // The session allows a table of 4096 bytes.
                guard story.cases.allSatisfy({ $0.tableSize ?? 0 <= 4096 }) else {
                    skipped += story.cases.count
                    continue
                }
                let client = try SessionClient()
                client.receive { $0.settings() }
                for (index, one) in story.cases.enumerated() {
                    let failure = try Self.play(one, splits: index % 2 == 1, client)
                    if let failure { Issue.record("\(name), \(index): \(failure)") }
                    guard client.failure == nil, !client.session.isOver else { break }
                    if one.isMalformed { refused += 1 } else { decoded += 1 }
                }
            }
            #expect(decoded > 5000 && refused > 30_000 && skipped < 4000, "\(decoded) \(refused) \(skipped)")
        }

        /// Sends a block to a new stream; what is wrong with the result.
        private static func play(_ one: Story.Case, splits: Bool, _ client: SessionClient) throws -> String? {
            let stream = try client.begin()
            client.send()
            (client.events, client.lines) = ([], [])
            let block = bytes(one.wire)
            let half = splits ? block.count / 2 : block.count
            let sent = client.exchange {
                $0.frame(1, splits ? 0 : 4, stream, Array(block.prefix(half)))
                if splits { $0.frame(9, 4, stream, Array(block.dropFirst(half))) }
            }
            guard client.failure == nil, !client.session.isOver else { return "the connection has ended" }
            if one.isMalformed {
                let isRefused = sent.contains { $0.type == 3 && $0.payload == [0, 0, 0, 1] }
                return isRefused ? nil : "\(client.events)"
            }
            guard client.lines == one.lines else { return String(decoding: client.lines, as: UTF8.self) }
            client.receive { $0.reset(stream, 8) }
            return nil
        }

        private static func bytes(_ hex: String) -> [UInt8] {
            let digits = hex.compactMap { $0.hexDigitValue }.map { UInt8($0) }
            return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        private static func files(_ checkout: String) throws -> [(String, URL)] {
            let place = URL(filePath: try #require(folder)).appending(path: checkout)
            return try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
                .filter { $0.hasDirectoryPath && !$0.lastPathComponent.hasPrefix(".") }
                .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
                .filter { $0.pathExtension == "json" }
                .map { ("\($0.deletingLastPathComponent().lastPathComponent)/\($0.lastPathComponent)", $0) }
                .sorted { $0.0 < $1.0 }
        }
    }

    private let folder = ProcessInfo.processInfo.environment["HTTP2_VECTORS"]
#endif

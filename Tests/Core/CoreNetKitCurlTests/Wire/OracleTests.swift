#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// The servers of `.ci/peers/run wire`, which starts these tests.
    private let oracles = (ProcessInfo.processInfo.environment["WIRE_ORACLES"] ?? "").split(separator: " ").map(
        String.init
    )

    @Suite(
        "The wire: third-party servers",
        .enabled(if: !oracles.isEmpty, "run by .ci/peers/run wire"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct OracleTests {
        /// A server's description of a request.
        private struct Told: Decodable {
            let method: String
            let target: String
            let fields: [String: String]
            let count: Int
            let sum: UInt32
        }

        private static let modes = ["length", "chunked", "trailers", "close", "interim", "gzip"]

        private static let bodies: [(method: HTTPMethod, count: Int?, isStream: Bool, waits: Bool)] = [
            (.get, nil, false, false), (.head, nil, false, false), (.delete, nil, false, false),
            (.options, nil, false, false), (.post, 0, false, false), (.post, 3, false, false),
            (.put, 40_000, false, false), (.patch, 3_000_000, false, false), (.post, 70_000, true, false),
            (.put, 70_000, false, true), (.delete, 10, false, false), (.get, 10, false, false),
        ]

        private static func sum(_ bytes: Data) -> UInt32 {
            var (first, second): (UInt32, UInt32) = (1, 0)
            for byte in bytes {
                first = (first + UInt32(byte)) % 65521
                second = (second + first) % 65521
            }
            return second << 16 | first
        }

        @Test("understand what is sent, and are understood", arguments: oracles, modes)
        func echo(oracle: String, mode: String) async throws {
            let parts = oracle.split(separator: "=")
            // Today's nginx takes a 103 for the response.
            if mode == "interim", parts[0] == "nginx" { return }
            let transport = CurlTransport.made()
            for (turn, row) in (Self.bodies + Self.bodies).enumerated() {
                let content = Data.numbered(row.count ?? 0)
                let place = url("http://127.0.0.1:\(parts[1])/\(mode)/\(turn)?q=a%20b&c")
                var request = TransportRequest(method: row.method, url: place)
                request.headers = ["X-Turn": "\(turn)", "X-Empty": ""]
                if row.count != nil { request.body = .bytes(content) }
                if row.isStream {
                    let (chunks, length) = ([content.prefix(1), content.dropFirst(1)], Int64(content.count))
                    request.body = .chunks(chunks, length: turn % 2 == 0 ? length : nil, isReplayable: true)
                }
                if row.waits { request.headers["Expect"] = "100-continue" }
                if turn % 2 == 1 { request.delivery = .stream }
                let what = "\(oracle) \(mode) \(row) \(turn)"
                let response = try await transport.send(request)
                let text = try await response.body.collect()
                try #require(response.status == 200, "\(what): \(String(decoding: text, as: UTF8.self))")
                guard row.method != .head else {
                    #expect(text.isEmpty)
                    continue
                }
                let told = try JSONDecoder().decode(Told.self, from: text)
                #expect(told.method == row.method.rawValue, "\(what)")
                #expect(told.target == "/\(mode)/\(turn)?q=a%20b&c", "\(what)")
                #expect(told.fields["x-turn"] == "\(turn)" && told.fields["x-empty"] ?? "" == "", "\(what)")
                #expect(told.count == content.count && told.sum == Self.sum(content), "\(what)")
                if mode == "close", parts[0] == "h11" { #expect(response.timings.isConnectionReused == false) }
                if mode == "interim", parts[0] == "h11" { #expect(response.interim.last?.status == 103) }
                if mode == "trailers", parts[0] == "h11", turn % 2 == 0 { #expect(response.trailers["X-Sum"] == "1") }
                if row.waits, parts[0] == "h11" { #expect(response.interim.first?.status == 100) }
            }
            let statistics = await transport.statistics()
            if mode == "length" {
                #expect(statistics.connectionsCreated == 1, "kept connections are used: \(statistics)")
            }
            #expect(statistics.running == 0)
        }
    }
#endif

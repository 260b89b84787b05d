#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: truncated HTTP/2 content", .timeLimit(.minutes(10)), .paced)
    struct HTTP2CutTests {
        /// How a stream, or its connection, ends after part of the content, without the end mark (RFC 9113, 8.1).
        enum Cut: String, Sendable, CaseIterable {
            case resetWithoutError, resetWithError, refusal
            case dataOnStreamZero, garbage, badSettings, tooLargeFrame, close

            func play(_ peer: HTTP2Peer, _ stream: UInt32) {
                switch self {
                case .resetWithoutError: peer.reset(stream, 0)
                case .resetWithError: peer.reset(stream, 2)
                case .refusal: peer.reset(stream, 7)
                case .dataOnStreamZero: peer.data("x", on: 0)
                case .garbage: peer.connection.write([UInt8](repeating: 0xFF, count: 300))
                case .badSettings: peer.send(HTTP2Peer.Kind.settings, payload: [1])
                case .tooLargeFrame:
                    peer.send(HTTP2Peer.Kind.data, on: stream, payload: [UInt8](repeating: 0x2A, count: 1 << 20))
                case .close: return
                }
                peer.connection.awaitEnd()
            }
        }

        static let deliveries: [ResponseDelivery] = [.collect, .stream]

        private func outcome(_ peer: RawPeer, _ delivery: ResponseDelivery) async -> ExchangeOutcome {
            let limits = Timeouts(connect: .seconds(30), firstByte: .seconds(5), idle: .seconds(5))
            let request = TransportRequest(url: peer.url, timeouts: limits, delivery: delivery)
            return await ExchangeOutcome(request, .plainHTTP2)
        }

        @Test("is an error, with and without a length, and is not requested again", arguments: Cut.allCases, deliveries)
        func cut(_ cut: Cut, delivery: ResponseDelivery) async throws {
            for fields in [[], [("content-length", "10")]] {
                let requests = Locked(0)
                let peer = try RawPeer { _, connection in
                    guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                    _ = requests.next()
                    peer.head(200, fields, on: stream)
                    peer.data("abc", on: stream)
                    cut.play(peer, stream)
                }
                guard case .failure(let code) = await outcome(peer, delivery) else {
                    Issue.record("\(cut), \(fields)")
                    continue
                }
                let isUsual = [.connectionLost, .http2Failed, .timedOut, .invalidResponse].contains(code)
                #expect(isUsual || !fields.isEmpty, "\(cut): \(code)")
                #expect(requests.withLock { $0 } == 1, "\(cut)")
            }
        }

        @Test("that arrived whole is delimited, whatever its head says (RFC 9113, 8.1)")
        func whole() async throws {
            let (abc, gzip) = (Array("abc".utf8), Array(Gzip.zeros(100)))
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection) else { return }
                for (fields, content) in [
                    ([("content-length", "3")], abc), ([], []), ([("content-encoding", "gzip")], gzip), ([], abc),
                ] as [([(String, String)], [UInt8])] {
                    guard let stream = peer.request() else { return }
                    peer.head(content.isEmpty ? 204 : 200, fields, on: stream, ends: content.isEmpty)
                    if content.isEmpty { continue }
                    peer.send(HTTP2Peer.Kind.data, flags: HTTP2Peer.end, on: stream, payload: content)
                }
                connection.awaitEnd()
            }
            let transport = CurlTransport.plainHTTP2
            for size in [3, 0, 100, 3] {
                let response = try await transport.send(TransportRequest(url: peer.url))
                #expect(response.body.data?.count == size)
                #expect(response.isDelimited, "\(response.status), \(size) bytes")
            }
        }

        @Test(
            "is the server's failure if it resets the stream, and an invalid response if the client does",
            arguments: [true, false]
        )
        func blame(byServer: Bool) async throws {
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                peer.head(200, [("content-length", "1")], on: stream)
                if byServer { peer.reset(stream, 1) } else { peer.data("abc", on: stream) }
                peer.connection.awaitEnd()
            }
            #expect(await outcome(peer, .collect) == .failure(byServer ? .http2Failed : .invalidResponse))
        }
    }

    /// The server of `.ci/peers/run http2`, which starts these tests.
    private let faultServer = ProcessInfo.processInfo.environment["HTTP2_FAULT_SERVER"]

    @Suite(
        "Curl: HTTP/2 exchanges that fail",
        .enabled(if: faultServer != nil, "run by .ci/proofs http2-faults"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct HTTP2FaultTests {
        /// What a server does to the first request of a kind.
        struct Fault: Sendable, CustomTestStringConvertible {
            let mode: String
            /// How the exchange ends on a kept connection, and on one of its own: a status, or an error's code.
            let (kept, own): (String, String)
            /// How it ends on a kept connection when it must not be sent again.
            let once: String
            var testDescription: String { mode }
        }

        static let faults = [
            Fault(mode: "reset-before", kept: "200", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "reset-behind", kept: "200", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "reset-inside", kept: "connectionLost", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "end-behind", kept: "200", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "goaway-with", kept: "200", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "goaway-without", kept: "200", own: "200", once: "200"),
            Fault(mode: "goaway-without-open", kept: "200", own: "200", once: "200"),
            Fault(mode: "refuse", kept: "200", own: "200", once: "200"),
            Fault(mode: "refuse-always", kept: "connectionLost", own: "connectionLost", once: "connectionLost"),
            Fault(mode: "cancel", kept: "connectionLost", own: "connectionLost", once: "connectionLost"),
        ]

        static let methods: [HTTPMethod] = [.get, .put, .post]

        @Test("take effect once, or report that they may have", arguments: faults, methods)
        func executions(fault: Fault, method: HTTPMethod) async throws {
            for isKept in [true, false] {
                let transport = CurlTransport.made { $0.tls.verifiesServer = false }
                if isKept { #expect(try await text("/ok", transport) == "ok") }
                let key = UUID().uuidString
                var request = TransportRequest(method: method, url: try place("/act?mode=\(fault.mode)&key=\(key)"))
                if method != .get { request.body = .bytes(Data("abc".utf8)) }
                var (end, isSafe) = ("", false)
                do { end = "\(try await transport.send(request).status)" } catch let error as TransportError {
                    (end, isSafe) = ("\(error.code)", error.isSafeToResend)
                }
                let count =
                    Int(try await text("/count?key=\(key)", CurlTransport.made { $0.tls.verifiesServer = false })) ?? -1
                let about = Comment(rawValue: "\(fault.mode) \(method), kept: \(isKept), \(count) executions, \(end)")
                #expect(end == (isKept ? method == .post ? fault.once : fault.kept : fault.own), about)
                if !method.isIdempotent { #expect(count <= 1, about) }
                if isSafe { #expect(count == 0, about) }
                if fault.mode == "refuse-always" { #expect(isSafe, about) }
            }
        }

        private func place(_ path: String) throws -> URL { try #require(URL(string: (faultServer ?? "") + path)) }

        private func text(_ path: String, _ transport: CurlTransport) async throws -> String {
            let response = try await transport.send(TransportRequest(url: place(path)))
            #expect(response.timings.httpVersion == "2")
            return String(decoding: response.body.data ?? Data(), as: UTF8.self)
        }
    }
#endif

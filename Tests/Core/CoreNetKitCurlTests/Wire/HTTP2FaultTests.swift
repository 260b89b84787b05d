#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

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
                let transport = try transport()
                if isKept { #expect(try await text("/ok", transport) == "ok") }
                let key = UUID().uuidString
                let request = TransportRequest(
                    method: method,
                    url: try place("/act?mode=\(fault.mode)&key=\(key)"),
                    body: method == .get ? .empty : .bytes(Data("abc".utf8))
                )
                var end = ""
                var isSafe = false
                do { end = "\(try await transport.send(request).status)" } catch let error as TransportError {
                    (end, isSafe) = ("\(error.code)", error.isSafeToResend)
                }
                let count = Int(try await text("/count?key=\(key)", self.transport())) ?? -1
                let about = Comment(rawValue: "\(fault.mode) \(method), kept: \(isKept), \(count) executions, \(end)")
                #expect(end == (isKept ? method == .post ? fault.once : fault.kept : fault.own), about)
                if !method.isIdempotent { #expect(count <= 1, about) }
                if isSafe { #expect(count == 0, about) }
                if fault.mode == "refuse-always" { #expect(isSafe, about) }
            }
        }

        private func transport() throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.tls.verifiesServer = false
            return CurlTransport(configuration: configuration)
        }

        private func place(_ path: String) throws -> URL {
            try #require(URL(string: (faultServer ?? "") + path))
        }

        private func text(_ path: String, _ transport: CurlTransport) async throws -> String {
            let response = try await transport.send(TransportRequest(url: place(path)))
            #expect(response.timings.httpVersion == "2")
            return String(decoding: response.body.data ?? Data(), as: UTF8.self)
        }
    }
#endif

import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension TransportConformance {
    /// The delivery of content.
    static let deliveryRules = [
        Rule("delivery.limit", "Content over the limit is an error, never truncated.") { bench in
            let server = try LoopbackServer { _ in .data(Data(count: 1001)) }
            let few = bench.request(.get, server.url("/"), delivery: .collect(limit: 1000))
            try await bench.fails(.responseTooLarge, sending: few)
            let enough = bench.request(.get, server.url("/"), delivery: .collect(limit: 1001))
            try bench.expect(try await bench.send(enough).body.data?.count, is: 1001, "the number of bytes")
        },
        Rule("delivery.stream", "A stream delivers all content in order.", needs: .streamingDownload) { bench in
            let pieces = (0..<64).map { Data(repeating: UInt8($0), count: 10_000) }
            let server = try LoopbackServer { _ in .stream(length: nil) { $0 < pieces.count ? pieces[$0] : nil } }
            let request = bench.request(.get, server.url("/"), delivery: .stream)
            guard case .stream(let stream) = try await bench.send(request).body else {
                throw Deviation(what: "the content was no stream")
            }
            var content = Data()
            for try await chunk in stream {
                try bench.expect(!chunk.isEmpty, "a chunk was empty")
                content.append(chunk)
            }
            try bench.expect(content == pieces.reduce(Data(), +), "other content came")
        },
        Rule("delivery.early", "A stream is delivered as soon as its head has arrived.", needs: .streamingDownload) {
            let gate = LoopbackGate()
            let server = try LoopbackServer { _ in .text("0123456789").fault(.stall(.inBody(5), until: gate)) }
            let response = try await $0.send($0.request(.get, server.url("/"), delivery: .stream))
            gate.open()
            try $0.expect(try await response.body.collect(), is: Data("0123456789".utf8), "the content")
        },
        Rule("delivery.file", "A file is complete or absent, and contains the content of a 2xx response only.") {
            let directory = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
            try PosixFiles().makeFolder(directory.path)
            defer { try? FileManager.default.removeItem(at: directory) }
            let place = directory.appending(path: "file")
            let server = try LoopbackServer()
            server.on(.get, "/good", .text("whole"))
            server.on(.get, "/cut", .text("0123456789").fault(.close(.inBody(5))))
            server.on(.get, "/missing", .text("missing", status: 404))
            let cut = $0.request(.get, server.url("/cut"), delivery: .file(place))
            try await $0.fails(.connectionLost, sending: cut)
            let missing = try await $0.send($0.request(.get, server.url("/missing"), delivery: .file(place)))
            try $0.expect(missing.body.data, is: Data("missing".utf8), "the content of a 404")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            try $0.expect(names, is: [], "what was left of failures")
            let good = try await $0.send($0.request(.get, server.url("/good"), delivery: .file(place)))
            guard case .file = good.body else { throw Deviation(what: "the content was no file") }
            try $0.expect(try Data(contentsOf: place), is: Data("whole".utf8), "the file")
        },
    ]

    /// Faults of a server.
    static let faultRules = [
        Rule("fault.cut", "Truncated content is never a success.") { bench in
            for response in [
                LoopbackResponse.text("0123456789").fault(.close(.inBody(5))),
                .chunks("abc", "defghijklm").fault(.close(.inBody(9))),
                .text("0123456789").fault(.reset(.inBody(5))),
            ] {
                let server = try LoopbackServer { _ in response }
                try await bench.fails(.connectionLost, sending: bench.request(.get, server.url("/")))
            }
        },
        Rule("fault.head", "The status is known once the head has arrived, even if the content fails.") { bench in
            for status in [200, 404, 503] {
                let server = try LoopbackServer { _ in .text("0123456789", status: status).fault(.close(.inBody(5))) }
                let found: TransportResponse?
                do {
                    let response = try await bench.send(bench.request(.get, server.url("/")))
                    try bench.expect(status >= 300, "content that was cut is a success")
                    try bench.expect(response.contentFailure?.code, is: .connectionLost, "why it is incomplete")
                    found = response
                } catch let error as TransportError {
                    try bench.expect(status < 300, "a refusal is an error")
                    found = error.response
                }
                try bench.expect(found?.status, is: status, "the status")
                try bench.expect(found?.isDelimited, is: false, "whether content that was cut has its end")
            }
        },
        Rule("fault.garbage", "A response that is not HTTP is an error.") { bench in
            let server = try LoopbackServer { _ in .text("x").fault(.garbageStatusLine) }
            let request = bench.request(.get, server.url("/"))
            try await bench.fails(.invalidResponse, .connectionLost, sending: request)
        },
        Rule("fault.refused", "A refused connection is safe to retry.") { bench in
            let request = bench.request(.post, try LoopbackServer.unusedPortURL(), body: .bytes(Data("x".utf8)))
            let error = try await bench.fails(.cannotConnect, sending: request)
            try bench.expect(error.isSafeToResend, "it says that the server may have acted")
        },
        Rule("fault.twice", "A request that is not idempotent is never executed twice.") { bench in
            let server = try LoopbackServer { request in
                request.method == .post ? .text("x").fault(.reset(.beforeStatus)) : .text("ok")
            }
            _ = try await bench.send(bench.request(.get, server.url("/")))
            var request = bench.request(.post, server.url("/"), body: .bytes(Data("x".utf8)))
            // FoundationNetworking misses a reset, and keeps a processor busy until the limit.
            request.timeouts.total = .seconds(3)
            let error = try await bench.fails(.connectionLost, .timedOut, sending: request)
            try bench.expect(server.counts.requests, is: 2, "the number of requests")
            try bench.expect(!error.isSafeToResend, "it says that the server cannot have acted")
        },
        Rule("fault.cancel", "Cancelling the task ends the exchange on the wire with `CancellationError`.") { bench in
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let call = Task { try await bench.send(bench.request(.get, server.url("/"))) }
            try await server.wait { $0.requests == 1 }
            call.cancel()
            do {
                _ = try await call.value
                throw Deviation(what: "there was a response")
            } catch is CancellationError {
                // Its connection ends, or over HTTP/2 its stream.
                try await server.wait { $0.clientCloses > 0 }
            }
        },
    ]

    /// Limits of the phases of an exchange.
    static let limitRules = [
        Rule(
            "limit.firstByte",
            "The first-byte limit ends the exchange, names its phase, and leaves the request unsafe to resend."
        ) { bench in
            let error = try await bench.ends(in: .wait, with: .stall(.beforeStatus))
            try bench.expect(!error.isSafeToResend, "it says that the server cannot have acted")
        },
        Rule("limit.idle", "The idle limit ends an exchange whose content stops.") { bench in
            try await bench.ends(in: .receive, with: .stall(.inBody(5)))
        },
        Rule("limit.total", "The total limit ends an exchange even while content arrives slowly.") { bench in
            let server = try LoopbackServer { _ in .text(String(repeating: "x", count: 100_000)).fault(.drip(1)) }
            var limits = Bench.patient
            limits.total = .milliseconds(500)
            try await bench.fails(.timedOut, sending: bench.request(.get, server.url("/"), timeouts: limits))
            // The client ends it, not the server with its own end: within a head that would be another fault.
            try await server.wait { $0.clientCloses > 0 }
        },
    ]

    /// Reports beyond the response, if the transport has the capability.
    static let openingRules = [
        Rule("opening.upload", "A sequence is sent completely.", needs: .streamingUpload) { bench in
            let server = try LoopbackServer { .text("\($0.body.count)") }
            let body = RequestBody.stream {
                AsyncThrowingStream { continuation in
                    for _ in 0..<10 { continuation.yield(Data(count: 1000)) }
                    continuation.finish()
                }
            }
            let response = try await bench.send(bench.request(.put, server.url("/"), body: body))
            try bench.expect(response.body.data, is: Data("10000".utf8), "the number of bytes")
        },
        Rule("opening.interim", "Informational responses are reported in order.", needs: .interimResponses) { bench in
            let server = try LoopbackServer { _ in .text("x").preceded(by: 103, headers: ["Link": "</a>"]) }
            let response = try await bench.send(bench.request(.get, server.url("/")))
            try bench.expect(response.interim, is: [.init(status: 103, headers: ["Link": "</a>"])], "what is reported")
        },
        Rule("opening.trailers", "Trailers are reported, separately from the fields of the head.", needs: .trailers) {
            let server = try LoopbackServer { _ in .chunks("abc").trailer("X-Sum", "6") }
            let response = try await $0.send($0.request(.get, server.url("/")))
            try $0.expect(response.trailers["X-Sum"], is: "6", "the trailer")
            try $0.expect(response.headers["X-Sum"], is: nil, "the field of the head")
        },
        Rule("opening.requestTrailers", "Trailers follow a stream, and are announced.", needs: .requestTrailers) {
            let server = try LoopbackServer { request in
                .text("\(request.trailers["X-Sum"] ?? "-") \(request.headers["Trailer"] ?? "-") \(request.body.count)")
            }
            for length in [nil, 3] as [Int64?] {
                let body = RequestBody.stream(length: length) {
                    AsyncThrowingStream { continuation in
                        continuation.yield(Data("abc".utf8))
                        continuation.finish()
                    }
                }
                let request = $0.request(.put, server.url("/"), body: body.trailer("X-Sum") { "6" })
                let response = try await $0.send(request)
                try $0.expect(response.body.data, is: Data("6 X-Sum 3".utf8), "what arrived")
                try $0.expect(server.requests.last?.headers["X-Sum"], is: nil, "the field of the head")
            }
        },
        Rule("opening.progress", "The last progress includes all bytes of both contents.", needs: .progress) { bench in
            let server = try LoopbackServer { _ in .data(Data(count: 3000)) }
            let monitor = ExchangeMonitor()
            var request = bench.request(.put, server.url("/"), body: .bytes(Data(count: 2000)))
            request.monitor = monitor
            _ = try await bench.send(request)
            let state = monitor.state
            try bench.expect(state.bytesSent, is: 2000, "what was sent")
            try bench.expect(state.bytesReceived, is: 3000, "what was received")
            try bench.expect(state.isEnded, "it never ended")
        },
        Rule("opening.identity", "With the coding identity, no content coding is requested.", needs: .identityCoding) {
            let server = try LoopbackServer { _ in .text("x") }
            var request = $0.request(.get, server.url("/"))
            request.coding = .identity
            let response = try await $0.send(request)
            try $0.expect(!response.isDecoded, "it says that the content was decoded")
            let asked = server.requests.last?.headers["Accept-Encoding"] ?? "identity"
            try $0.expect(asked, is: "identity", "Accept-Encoding")
        },
        Rule("opening.sent", "The reported request fields are those that the server received.", needs: .sentHeaders) {
            let server = try LoopbackServer { _ in .text("x") }
            var request = $0.request(.get, server.url("/"), headers: ["X-A": "1"])
            request.reportsSentHeaders = true
            let sent = try await $0.send(request).sentHeaders
            try $0.expect(sent, is: server.requests.last?.headers, "the reported fields")
        },
    ]
}

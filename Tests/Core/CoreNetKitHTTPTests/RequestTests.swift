import CoreNetKitHTTP
import TestPace

@Suite("A request as a value", .paced)
struct RequestTests {
    private func request(_ method: HTTPMethod = .get, _ url: String = "http://a.test/") throws -> TransportRequest {
        TransportRequest(method: method, url: try #require(URL(string: url)))
    }

    private func refusal(_ request: TransportRequest) -> String? {
        do {
            try request.validate()
            return nil
        } catch {
            return error.code == .invalidRequest && error.phase == .queue ? error.message : "\(error)"
        }
    }

    @Test(
        "methods are safe and idempotent as IANA's registry says, and no other is",
        arguments: [
            (HTTPMethod.get, true, true), (.head, true, true), (.options, true, true), (.trace, true, true),
            (.put, false, true), (.delete, false, true), (.post, false, false), (.patch, false, false),
            (.connect, false, false), ("get", false, false), ("QUERY", true, true), ("PROPFIND", true, true),
            ("SEARCH", true, true), ("REPORT", true, true), ("MKCOL", false, true), ("MOVE", false, true),
            ("UNLOCK", false, true), ("LOCK", false, false), ("PURGE", false, false), ("query", false, false),
        ]
    )
    func methods(method: HTTPMethod, isSafe: Bool, isIdempotent: Bool) {
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.description == method.rawValue)
    }

    @Test("may be sent again if it was not seen, or is repeatable, and the body is still available")
    func resending() throws {
        func stream(_ isReplayable: Bool) -> RequestBody {
            .stream(isReplayable: isReplayable) { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        }
        let bodies: [(RequestBody, Bool)] = [
            (.empty, true), (.bytes(Data([1])), true), (.file(URL(filePath: "/a")), true), (stream(true), true),
            (stream(false), false),
        ]
        for (body, isReplayable) in bodies {
            #expect(body.isReplayable == isReplayable)
            for (method, key, isRepeatable) in [
                (HTTPMethod.put, nil, true), (.post, nil, false), (.post, "", false), (.post, " \t", false),
                (.post, "k", true), (.post, " k", true),
            ] as [(HTTPMethod, String?, Bool)] {
                var request = try request(method)
                request.body = body
                request.headers["idempotency-key"] = key
                #expect(Resending.isIdempotent(request) == isRepeatable)
                #expect(Resending.isAllowed(request, after: .unprocessed) == isReplayable)
                #expect(Resending.isAllowed(request, after: .possiblyProcessed) == (isReplayable && isRepeatable))
                for isSafe in [true, false] {
                    let error = TransportError(.connectionLost, phase: .wait, message: "", isSafeToResend: isSafe)
                    #expect(Resending.isAllowed(request, after: error) == (isReplayable && (isSafe || isRepeatable)))
                }
            }
        }
    }

    @Test("its body describes itself")
    func bodies() {
        #expect(RequestBody.empty.isEmpty && RequestBody.empty.isInMemory && RequestBody.empty.data == nil)
        let bytes = RequestBody.bytes(Data([1]))
        #expect(!bytes.isEmpty && bytes.isInMemory && bytes.data == Data([1]))
        let file = RequestBody.file(URL(filePath: "/a"))
        #expect(!file.isEmpty && !file.isInMemory && file.data == nil)
        let stream = RequestBody.stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        #expect(!stream.isEmpty && !stream.isInMemory && stream.data == nil && !stream.isReplayable)
    }

    @Test("a token has every character that RFC 9110 allows, and no other")
    func tokens() throws {
        let allowed = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars
        )
        for value in UInt32(0)...0xFF {
            let scalar = try #require(Unicode.Scalar(value))
            #expect(FieldCheck.isToken("X\(scalar)Y") == allowed.contains(scalar), "\(value)")
            let isText = value >= 0x20 && value != 0x7F || value == 0x09
            #expect(FieldCheck.isValue("a\(scalar)b") == isText, "\(value)")
            #expect(FieldCheck.isBlank("\(scalar)") == (value == 0x20 || value == 0x09), "\(value)")
        }
        #expect(!FieldCheck.isToken("") && FieldCheck.isValue("") && FieldCheck.isBlank(""))
    }

    @Test("that no transport can send is refused, and the message never contains a value")
    func refusals() throws {
        #expect(refusal(try request()) == nil)
        #expect(refusal(try request("a b"))?.contains("method") == true)
        #expect(refusal(try request(.connect))?.contains("CONNECT") == true)
        for url in ["ftp://a.test/", "/x", "http:///x"] {
            #expect(refusal(try request(.get, url))?.contains("URL") == true, "\(url)")
        }
        for user in ["s3%3Aa:b", "s3%0Aa:b", "a:s3%00", "s3%7F", "%FFs3:b"] {
            let message = refusal(try request(.get, "http://\(user)@a.test/"))
            #expect(message?.contains("user name") == true && message?.contains("s3") == false, "\(user)")
        }
        #expect(refusal(try request(.get, "http://%C3%BC:a%3Ab@a.test/")) == nil)
        for (name, value, part) in [
            ("X A", "s3cret", "token"), ("", "s3cret", "token"), ("X-A", "s3cret\r\n", "X-A"),
            ("X-A", "s3\u{0}cret", "X-A"), ("host", "s3cret", "Host"), ("CONTENT-LENGTH", "s3cret", "Content-Length"),
            ("transfer-encoding", "s3cret", "Transfer-Encoding"),
        ] {
            var request = try request()
            request.headers = Headers([("X-First", "1"), (name, value)])
            let message = try #require(refusal(request))
            #expect(message.contains(part) && !message.contains("s3") && !message.contains("\n"))
        }
        var long = try request()
        long.headers.append(String(repeating: "\n", count: 50), "1")
        #expect(refusal(long)?.contains("\"" + String(repeating: "?", count: 40) + "\"") == true)
        var negative = try request(.post)
        negative.body = .stream(length: -1) { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        #expect(refusal(negative)?.contains("length") == true)
        negative.body = .stream(length: 0) { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        #expect(refusal(negative) == nil)
    }

    @Test("with a limit that is not positive is refused by the limit's name", arguments: PhaseLimit.allCases)
    func timeouts(limit: PhaseLimit) throws {
        var request = try request()
        for (length, isRefused) in [(.zero, true), (.seconds(-1), true), (.nanoseconds(1), false), (nil, false)]
            as [(Duration?, Bool)]
        {
            request.timeouts[limit] = length
            let message = "the timeout \(limit.rawValue) is not above zero; nil means no limit"
            #expect(refusal(request) == (isRefused ? message : nil))
        }
    }

    @Test("the table has each limit and each phase once")
    func table() {
        let phases = TransportError.Phase.all
        let durations = Mirror(reflecting: TransportTimings()).children.filter { type(of: $0.value) == Duration?.self }
        #expect(durations.count == phases.count + 1, "the phases and the total")
        #expect(Set(phases.map(\.row.length)).count == phases.count && Set(phases).count == phases.count)
        #expect(Set(phases.map(\.row.letter)).count == phases.count)
        #expect(Set(phases.map(\.row.limit)) == Set(PhaseLimit.allCases))
        #expect(Mirror(reflecting: Timeouts()).children.compactMap(\.label) == PhaseLimit.allCases.map(\.rawValue))
        let limits = Timeouts()
        #expect(limits.connect == .seconds(10) && limits.firstByte == .seconds(30) && limits.idle == .seconds(30))
        #expect(limits.total == nil)
    }

    @Test("requires capabilities for what it asks, and is refused by a transport without them")
    func capabilities() throws {
        var request = try request(.post)
        #expect(request.neededCapabilities.isEmpty)
        request.coding = .identity
        #expect(request.neededCapabilities == .identityCoding)
        request.monitor = ExchangeMonitor()
        request.reportsSentHeaders = true
        request.body = .stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        request.delivery = .stream
        let needed: TransportCapabilities = [
            .identityCoding, .progress, .sentHeaders, .streamingUpload, .streamingDownload,
        ]
        #expect(request.neededCapabilities == needed)
        #expect(throws: Never.self) { try request.validate(for: needed) }
        for (name, one) in TransportCapabilities.named where needed.contains(one) {
            let error = #expect(throws: TransportError.self) { try request.validate(for: needed.subtracting(one)) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.hasSuffix(": \(name)") == true)
        }
        request.delivery = .duplex
        #expect(request.neededCapabilities == needed.subtracting(.streamingDownload).union(.duplex))
    }

    @Test("every capability has a bit and a name of its own")
    func named() {
        let named = TransportCapabilities.named
        #expect(named.count == 27)
        #expect(Set(named.map(\.name)).count == named.count)
        for (place, entry) in named.enumerated() { #expect(entry.capability.rawValue == 1 << UInt32(place)) }
        #expect(TransportCapabilities([.timings, .http2]).description == "timings, http2")
        #expect(TransportCapabilities([]).description.isEmpty)
    }

    @Test("its items are read as servers read them")
    func items() {
        typealias Item = TransportRequest.Item
        let items = [Item("a", "1"), Item("b", "x y&z"), Item("c", ""), Item("", "d"), Item("e", "f=g")]
        #expect(Item.all(of: "a=1&b=x+y%26z&&c&=d&e=f=g") == items && Item.all(of: "").isEmpty)
    }

    @Test("its delivery says whether the response is complete when it is returned")
    func deliveries() {
        let file = ResponseDelivery.file(URL(filePath: "/a"))
        #expect(ResponseDelivery.collect.isCollected && ResponseDelivery.discard.isCollected)
        #expect(!ResponseDelivery.stream.isCollected && !file.isCollected && !ResponseDelivery.duplex.isCollected)
        #expect(
            file.isFile && ![.collect, .stream, .duplex].contains { (delivery: ResponseDelivery) in delivery.isFile }
        )
        #expect(ResponseDelivery.collect == .collect(limit: 67_108_864))
    }
}

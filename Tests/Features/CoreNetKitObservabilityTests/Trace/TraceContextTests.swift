import CoreNetKitObservability
import TestSupport

@Suite("Trace context", .paced)
struct TraceContextTests {
    static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private static let rest = String(valid.dropFirst(2))
    private static let taken: [String] = [valid, " \t\(valid)\t ", "cc\(rest)", "cc\(rest)-what"]
    private static let dropped: [String] = [
        "cc\(rest).what", "\(valid)-what", "ff\(rest)", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", valid.uppercased(),
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", "", "00", "\(valid) x", "\u{A0}\(valid)", " ",
        "0.-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ]

    @Test(
        "accepts what the standard accepts, and drops what it drops",
        arguments: taken.map { ($0, true) } + dropped.map { ($0, false) }
    )
    func parsing(text: String, isValid: Bool) {
        let context = TraceContext(traceparent: text)
        #expect((context != nil) == isValid)
        if text == Self.valid { #expect(context?.traceparent == text) }
    }

    @Test("keeps the vendors' list only with a valid parent, in its order and within its limits")
    func state() throws {
        var headers: Headers = ["traceparent": Self.valid]
        headers.append("tracestate", "a=1, b=2")
        headers.append("tracestate", "c=3,")
        #expect(TraceContext(headers)?.state == "a=1,b=2,c=3")
        headers.append("traceparent", Self.valid)
        #expect(TraceContext(headers) == nil)
        #expect(TraceContext(["traceparent": "x", "tracestate": "a=1"]) == nil)
        let many = (0..<33).map { "k\($0)=v" }.joined(separator: ",")
        for bad in ["A=1", "a", "a=1,a=2", "a=\u{1}", many, "@a=1", "_a=1", "*a=1", "-a=1", "/a=1"] {
            #expect(TraceContext(["traceparent": Self.valid, "tracestate": bad])?.state == nil)
        }
        let long = [("a", 200), ("b", 250), ("c", 100)].map { "\($0)=\(String(repeating: "x", count: $1))" }
            .joined(separator: ",")
        let kept = TraceContext(["traceparent": Self.valid, "tracestate": long])?.state
        #expect(kept.map { $0.utf8.count <= 512 && $0.contains("a=") && $0.contains("c=") } == true)
    }

    private func sent(
        _ address: String,
        metadata: [String: String] = [:],
        ambient: TraceContext? = nil,
        redirect: String? = nil
    ) async throws -> [MockRequest] {
        let mock = MockTransport { mock in
            mock.on(nil, "/**", .ok)
            if let redirect { mock.on(.get, "/redirect", MockResponse.status(302, headers: ["Location": redirect])) }
        }
        let policy = TracePolicy(to: [Origin(url("https://a.test"))], current: { ambient })
        let client = Client(transport: mock).trace(policy)
        let builder = UrlChainsBuilder<URL>(client: client).set(metadata: metadata)
        try await builder.route(.get, url(address)).build().process()
        return mock.requests
    }

    @Test("goes only to the named origins, and no redirect carries it elsewhere")
    func origins() async throws {
        let own = try await sent("https://a.test/x")
        #expect(TraceContext(own[0].headers)?.isSampled == true)
        for foreign in ["https://a.test.evil/x", "http://a.test/x", "https://a.test:444/x"] {
            #expect(try await !sent(foreign)[0].headers.contains("traceparent"))
        }
        let hops = try await sent(
            "https://a.test/redirect",
            metadata: ["traceparent": Self.valid, "tracestate": "a=1"],
            redirect: "https://b.test/"
        )
        #expect(hops[0].headers["traceparent"] == Self.valid)
        #expect(!hops[1].headers.contains("traceparent") && !hops[1].headers.contains("tracestate"))
    }

    @Test("a new span for each exchange of one trace, below the caller's span")
    func spans() async throws {
        let ambient = TraceContext(traceID: (1, 2), parentID: 3, state: "v=1")
        let hops = try await sent("https://a.test/redirect", ambient: ambient, redirect: "/x")
        let contexts = hops.compactMap { TraceContext($0.headers) }
        #expect(contexts.count == 2 && Set(contexts.map(\.parentID)).count == 2)
        #expect(contexts.allSatisfy { $0.traceID == (1, 2) && $0.parentID != 3 && $0.state == "v=1" })
    }

    @Test("the calling task's span reaches a call through an observer")
    func ambient() async throws {
        let mock = MockTransport { $0.on(nil, "/**", .ok) }
        let client = Client(transport: mock).trace(TracePolicy(to: [Origin(url("https://a.test"))]))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "https://a.test/").build()
        let context = TraceContext(traceID: (7, 8), parentID: 9)
        let observer: Observer<Void> = TraceContext.$current.withValue(context) { chain.process() }
        try await observer.value
        #expect(try #require(TraceContext(mock.requests[0].headers)).traceID == (7, 8))
    }
}

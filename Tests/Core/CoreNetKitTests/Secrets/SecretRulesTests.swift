import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import SecretKinds
import TestPace
import Testing
import TestSupport

@Suite("A client's own secret names", .timeLimit(.minutes(10)), .paced)
struct SecretRulesTests {
    static let canary = SecretKind.canary
    static let own = SecretRules.standard
        .adding(fields: ["X-Corp-Id"], items: ["corp"], members: ["ssn"])
        .exempting(fields: ["X-Session-Color"], items: ["ticket"], members: ["pin"])

    let requests = Recorder<TransportRequest>()
    let sink = RecordingSink()

    /// `a.test` leads to `b.test`.
    func transport() -> ClosureTransport {
        ClosureTransport { request in
            requests.record(request)
            guard request.url.host == "a.test" else { return .init(status: 200, url: request.url) }
            return .init(status: 307, headers: ["Location": "http://b.test/"], url: request.url)
        }
    }

    func foreign(_ headers: Headers, _ rules: SecretRules = .standard) async throws -> [String] {
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: Client(transport: transport()).secrets(rules))
            .set(headers: headers).route(.get, "http://a.test/").build()
        try await chain.process()
        let request = try #require(requests.values.last { $0.url.host == "b.test" })
        return request.headers.map(\.name)
    }

    @Test("no secret field of the table follows a redirect to another origin")
    func secretsStay() async throws {
        let names = SecretKind.fields.map(\.text)
        let crossed = try await foreign(Headers(names.map { ($0, Self.canary) }))
        #expect(crossed.filter { names.contains($0) } == [])
    }

    @Test("each harmless field does")
    func harmlessCross() async throws {
        let names = HarmlessName.fields
        let crossed = Set(try await foreign(Headers(names.map { ($0, "7") })))
        #expect(names.filter { !crossed.contains($0) } == [])
    }

    @Test("a field that it adds stays with its origin, an exempted one continues")
    func redirects() async throws {
        let headers: Headers = ["X-Corp-Id": "7", "x-session-color": "red", "X-Session-Size": "1"]
        #expect(try await foreign(headers, Self.own).filter { $0.lowercased().hasPrefix("x-") } == ["x-session-color"])
        #expect(try await foreign(headers).filter { $0.lowercased().hasPrefix("x-") } == ["X-Corp-Id"])
    }

    @Test(
        "calls fail if it exempts what always carries credentials",
        arguments: ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie"]
    )
    func neverHarmless(name: String) async throws {
        let client = Client(transport: transport()).secrets(.standard.exempting(fields: [name]))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .invalidChain)
        #expect(error?.message.lowercased().contains(name.lowercased()) == true)
        #expect(requests.values.isEmpty)
        #expect(SecretRules.standard.exempting(fields: [name]).verdict(field: name) == .secret)
    }

    @Test(
        "its own names are left out of records, lines, requests, responses and errors; a builder's replace them"
    )
    func views() async throws {
        struct Login: Encodable, Sendable { var ssn = SecretRulesTests.canary, pin = "1234" }
        let printed = Recorder<String>()
        let responding = ClosureTransport { request in
            .init(
                status: 500,
                headers: ["X-Corp-Id": Self.canary, "Content-Type": "application/json"],
                body: .bytes(Data(#"{"ssn":"\#(Self.canary)"}"#.utf8)),
                url: request.url
            )
        }
        let client = Client(transport: responding).secrets(.standard).log(to: sink, level: .debug)
            .record(to: sink, keepingBodies: true)
        let builder = UrlChainsBuilder<String>(client: client).secrets(Self.own).encode(as: .json)
            .set(headers: ["X-Corp-Id": Self.canary]).set(query: ["corp": Self.canary, "ticket": "shown-7"])
            .insert(at: .exchange) { next in
                AnyNode<TransportRequest, TransportResponse>("Curious", successors: [next]) { request, context in
                    let response = try await next.process(request, context: context)
                    for text in [
                        "\(request)", String(reflecting: request), "\(response)", String(reflecting: response),
                    ] {
                        printed.record(text)
                    }
                    return response
                }
            }
        let chain: Chain<Login, Void> = builder.route(.post, "http://a.test/x").build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process(Login()) }
        var texts = printed.values + ["\(try #require(error))", String(reflecting: try #require(error?.response))]
        texts += try await sink.waitForLogTrees(1).map(\.description)
        var dumped = ""
        for record in try await sink.waitForRecords(1) {
            dump(record, to: &dumped)
            for event in record.events {
                switch event.kind {
                case .exchangeStarted(let sent): dumped += String(decoding: sent.body ?? Data(), as: UTF8.self)
                case .responseHead(let head): dumped += String(decoding: head.body ?? Data(), as: UTF8.self)
                default: break
                }
            }
        }
        texts.append(dumped)
        for text in texts { #expect(!text.contains(Self.canary), "\(text)") }
        #expect(dumped.contains(#""pin":"1234""#) && dumped.contains(#""ssn":"REDACTED""#))
        #expect(texts.contains { $0.contains("ticket=shown-7") })
    }

    @Test("the last exemption is harmless, the last addition is secret, and names are compared without punctuation")
    func order() {
        let rules = SecretRules.standard.adding(members: ["ssn"])
        #expect(rules.verdict(member: "user.SSN") == .secret)
        #expect(rules.exempting(members: ["SSN"]).verdict(member: "ssn") == .harmless)
        #expect(rules.exempting(members: ["ssn"]).adding(members: ["s_s_n"]).verdict(member: "ssn") == .secret)
        #expect(SecretRules.standard.exempting(items: ["key"]).verdict(item: "key") == .harmless)
        #expect(SecretRules.standard.verdict(item: "key") == .secret)
        #expect("\(rules)" == "standard, 1 added, 0 exempted")
    }
}

#if os(Linux)
    import TestPace

    @testable import CoreNetKitWire

    /// The rules that h2spec checks clients and servers by, as far as they are about a client.
    @Suite("A client of HTTP/2 and the frames of a server", .timeLimit(.minutes(10)), .paced)
    struct HTTP2ClientRuleTests {
        @Test(
            "keep the rules of RFC 9113 and RFC 7541",
            arguments: HTTP2ClientRule.framing + HTTP2ClientRule.states + HTTP2ClientRule.frameKinds
                + HTTP2ClientRule.settings + HTTP2ClientRule.control + HTTP2ClientRule.continuation
                + HTTP2ClientRule.interrupted
                + HTTP2ClientRule.messages + HTTP2ClientRule.fields + HTTP2ClientRule.compression
        )
        func rule(_ rule: HTTP2ClientRule) throws {
            let client = try rule.begin()
            let outcome = try HTTP2ClientRule.outcome(of: rule.frames, client)
            if let deviation = rule.deviation {
                #expect(outcome == deviation.outcome, "not the deviation any more: \(deviation.reason)")
                #expect(!rule.allowed.contains(outcome), "no deviation any more")
            } else {
                #expect(rule.allowed.contains(outcome))
            }
            if let events = rule.events {
                #expect(client.events.filter { $0.hasPrefix("1 ") }.map { String($0.dropFirst(2)) } == events)
            }
            if let content = rule.content { #expect(String(decoding: client.content, as: UTF8.self) == content) }
            // A response whose stream is reset is never complete.
            if case .stream = outcome, rule.start != .answeredEarly { #expect(!client.events.contains("1 end")) }
        }
    }
#endif

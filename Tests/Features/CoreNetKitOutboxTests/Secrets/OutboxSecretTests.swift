import SecretKinds
import TestSupport

@testable import CoreNetKitOutbox

@Suite("The outbox and the secret rules", .timeLimit(.minutes(10)), .paced)
struct OutboxSecretTests {
    private func refusal(
        of url: String = "https://a.test/x",
        _ headers: Headers = [:],
        _ rules: SecretRules = .standard
    ) throws -> OutboxError? {
        var options = EnqueueOptions()
        options.secrets = rules
        let request = TransportRequest(method: .post, url: try #require(URL(string: url)), headers: headers)
        do throws(OutboxError) {
            _ = try options.head(for: request, made: WallMoment(wall: 0), revision: 0)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ name: String, _ rules: SecretRules = .standard) throws -> OutboxError? {
        try refusal([name: SecretKind.canary], rules)
    }

    @Test("each secret field is refused by its name, which the error contains, and never its value")
    func refused() throws {
        for kind in SecretKind.fields {
            let error = try refusal(kind.text)
            #expect(error?.code == .secretField, "\(kind)")
            #expect(error?.message.contains(kind.text) == true)
            #expect(error?.message.contains(SecretKind.canary) == false)
        }
    }

    @Test(
        "a secret URL item is refused by its name like a secret field, without its value",
        arguments: [
            "?access_token=$", "?a=1&api_key=$", "?sig=$&b=2", "?user%5Bpassword%5D=$", "?a&token=$", ";jsessionid=$",
            ";v=1;jsessionid=$?a=1", "/;jsessionid=$/b", "?access%5Ftoken=$", "#access_token=$",
        ]
    )
    func secretItem(text: String) throws {
        let url = "https://a.test/x" + text.replacingOccurrences(of: "$", with: SecretKind.canary)
        let error = try refusal(of: url)
        #expect(error?.code == .secretField)
        #expect(error?.message.contains(SecretKind.canary) == false)
    }

    @Test("a harmless item is stored, and a client's own names count")
    func otherItems() throws {
        #expect(try refusal(of: "https://a.test/x;v=1?page=2&q=token&sort=key#top") == nil)
        #expect(try refusal(of: "https://a.test/x?ssn=7", [:], .standard.adding(items: ["ssn"]))?.code == .secretField)
        #expect(try refusal(of: "https://a.test/x?token=7", [:], .standard.exempting(items: ["token"])) == nil)
    }

    @Test("each harmless field is stored, and so is one in doubt")
    func stored() throws {
        // What no request may carry, stored or not.
        let wires: Set = ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE"]
        for name in HarmlessName.fields + ["X-User-Id"] where !wires.contains(name) {
            #expect(try refusal(name)?.code != .secretField, "\(name)")
        }
    }

    @Test("a client's own names count")
    func own() throws {
        let rules = SecretRules.standard.adding(fields: ["X-Corp-Id"]).exempting(fields: ["X-Token"])
        #expect(try refusal("X-Corp-Id", rules)?.code == .secretField)
        #expect(try refusal("X-Corp-Id") == nil)
        #expect(try refusal("X-Token", rules) == nil)
    }

    @Test("a chain's rules go with its request")
    func chain() async throws {
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder.box)
        let client = Client().secrets(.standard.adding(fields: ["X-Corp-Id"])).outbox(outbox)
        let builder = UrlChainsBuilder<String>(client: client).route(.post, "https://a.test/x")
        let chain: Chain<Void, OutboxReceipt> = builder.set(headers: ["X-Corp-Id": "7"]).enqueue()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect((error?.cause as? OutboxError)?.code == .secretField)
    }
}

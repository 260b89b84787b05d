import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Cookies in the HTTP archive", .paced)
struct HARCookieTests {
    private func cookie(_ field: String) async throws -> Json {
        let stage = try Stage()
        let response = Samples.response(200, .reused(), ["Set-Cookie": field])
        stage.exchange(Samples.request, response, in: stage.context())
        let archive = try Json(parsing: HARWriter.data(of: [try await stage.end()]))
        return try #require(archive["log"]?["entries"]?[0]?["response"]?["cookies"]?[0])
    }

    @Test("have every attribute that the format defines, and none that was not sent")
    func attributes() async throws {
        let all = try await cookie(
            "a=1; path=/shop; DOMAIN=a.test; HttpOnly; secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax"
        )
        #expect(all["name"]?.string == "a")
        #expect(all["path"]?.string == "/shop")
        #expect(all["domain"]?.string == "a.test")
        #expect(all["httpOnly"]?.bool == true)
        #expect(all["secure"]?.bool == true)
        #expect(all["expires"]?.string == "2026-10-21T07:28:00Z")
        let none = try await cookie("a=1")
        #expect(none.object?.count == 2)
        let broken = try await cookie("a=1; Expires=soon; HttpOnly")
        #expect(broken["expires"] == nil)
        #expect(broken["httpOnly"]?.bool == true)
    }
}

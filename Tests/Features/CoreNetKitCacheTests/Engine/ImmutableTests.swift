import CoreNetKitCache
import CoreNetKitHTTP
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("immutable", .timeLimit(.minutes(10)), .paced)
struct ImmutableTests {
    static let never: Headers = ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""]

    @Test(
        "counts over https alone (RFC 8246, 3)",
        arguments: [("https://shop.test/page", 1), ("http://shop.test/page", 2)]
    )
    func revalidate(text: String, exchanges: Int) async throws {
        let url = try #require(URL(string: text))
        let setting = Setting { request, _ in
            request.headers.contains("If-None-Match")
                ? reply(304, Self.never, "", url: url) : reply(200, Self.never, url: url)
        }
        try await setting.send(get([:], url))
        try await setting.send(get([:], url), mode: .revalidate)
        #expect(setting.origin.count == exchanges)
    }
}

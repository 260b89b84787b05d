import CoreNetKitCache
import TestSupport

@Suite("Validation of stored responses", .paced)
struct ConfirmationTests {
    @Test("a 304 with the stored response's date confirms it; one with another date means another response")
    func confirmedByDate() async throws {
        let dates = ["Sun, 09 Sep 2001 01:46:40 GMT", "Sun, 09 Sep 2001 02:46:40 GMT"]
        let shop = Shop { request, number in
            let isAsked = request.headers["If-Modified-Since"] != nil
            let headers: Headers = ["Cache-Control": "max-age=60", "Last-Modified": dates[number == 3 ? 1 : 0]]
            return reply(isAsked ? 304 : 200, headers, isAsked ? "" : "\(number)")
        }
        #expect(try await shop.text() == "1")
        shop.time.advance(70)
        #expect(try await shop.text() == "1")
        #expect(shop.origin.count == 2)
        shop.time.advance(70)
        #expect(try await shop.text() == "4")
        #expect(shop.origin.count == 4)
    }

    @Test("a server that fails during validation leaves the stored response unchanged", arguments: [500, 503, 599])
    func failedConfirmation(status: Int) async throws {
        let shop = Shop { request, number in
            if number == 2 { return reply(status, fresh, "broken") }
            return try await Origin.confirming(tagged)(request, number)
        }
        #expect(try await shop.text() == "1")
        shop.time.advance(70)
        await #expect(throws: NetworkError.self) { try await shop.text() }
        #expect(try await shop.text() == "1")
        #expect(shop.origin.count == 3)
    }

    @Test("a validation with a no-store request stores nothing", arguments: [HTTPMethod.get, .head])
    func noStore(method: HTTPMethod) async throws {
        let setting = Setting { request, number in
            let isAsked = request.headers.contains("If-None-Match")
            let headers: Headers = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-Number": "\(number)"]
            return reply(isAsked ? 304 : 200, headers, isAsked || request.method == .head ? "" : "a")
        }
        _ = try await setting.send()
        setting.time.advance(100)
        let request = get(control("no-store"), method: method)
        #expect(try await setting.send(request).headers["X-Number"] == "2")
        #expect(try await setting.send(mode: .only).headers["X-Number"] == "1")
    }

    @Test("immutable counts over https alone (RFC 8246, 3)", arguments: [("https", 1), ("http", 2)])
    func revalidate(scheme: String, exchanges: Int) async throws {
        let request = get([:], url("\(scheme)://shop.test/page"))
        let setting = Setting(Origin.confirming(control("max-age=60, immutable", ["ETag": "\"a\""])))
        try await setting.send(request)
        try await setting.send(request, mode: .revalidate)
        #expect(setting.origin.count == exchanges)
    }
}

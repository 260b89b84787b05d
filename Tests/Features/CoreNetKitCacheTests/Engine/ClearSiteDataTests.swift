import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace
import Testing

import CoreNetKitEssentials

private func at(_ text: String, _ headers: Headers = [:]) throws -> TransportRequest {
    get(headers, try #require(URL(string: text)))
}

@Suite("Clear-Site-Data", .timeLimit(.minutes(10)), .paced)
struct ClearSiteDataTests {
    private static let fresh: Headers = ["Cache-Control": "max-age=60"]

    private static func origin(_ value: String = "\"cache\"", status: Int = 200) -> Origin.Handler {
        { request, number in
            guard request.url.path == "/out" else { return reply(200, fresh, "\(number)", url: request.url) }
            return reply(status, ["Cache-Control": "max-age=60", "Clear-Site-Data": value], "out", url: request.url)
        }
    }

    @Test(
        "\"cache\" and \"*\" remove stored responses, other types and unquoted ones do not",
        arguments: [
            ("\"cache\"", true), ("\"*\"", true), ("\"cookies\", \"cache\"", true), ("\"cookies\"", false),
            ("cache", false),
            ("*", false), ("\"cache", false), ("\"Cache\"", false), ("", false),
        ]
    )
    func types(value: String, isCleared: Bool) async throws {
        let setting = Setting(Self.origin(value))
        _ = try await setting.send(at("https://shop.test/a?1"))
        _ = try await setting.send(at("https://shop.test/out"))
        let left = try await setting.send(at("https://shop.test/a?1"), mode: .only).status
        #expect(left == (isCleared ? 504 : 200))
    }

    @Test(
        "only responses that came encrypted, or from this machine, are believed",
        arguments: [
            ("https://shop.test", true), ("http://shop.test", false), ("http://localhost:8080", true),
            ("http://a.localhost", true), ("http://127.3.2.1", true), ("http://[::1]:1", true),
            ("http://127.0.0.1.shop.test", false), ("http://localhost.shop.test", false), ("http://128.0.0.1", false),
        ]
    )
    func trust(base: String, isCleared: Bool) async throws {
        let setting = Setting(Self.origin())
        _ = try await setting.send(at("\(base)/a"))
        _ = try await setting.send(at("\(base)/out"))
        #expect(try await setting.send(at("\(base)/a"), mode: .only).status == (isCleared ? 504 : 200))
    }

    @Test("other origins and other users keep their responses", arguments: [true, false])
    func others(onDisk: Bool) async throws {
        let folder = try TestFolder()
        let memory = MemoryStorage(limit: 1 << 20)
        let storage: any CacheStorage =
            onDisk ? TieredStorage(front: memory, behind: DiskStorage(folder.path, limit: 1 << 20) { 0 }) : memory
        let setting = Setting(storage: storage, Self.origin(status: 500))
        let kept = ["https://shop.test:444/a", "https://www.shop.test/a", "http://shop.test/a"]
        for url in kept + ["https://shop.test/a", "https://shop.test/b"] { _ = try await setting.send(at(url)) }
        _ = try await setting.send(at("https://shop.test/a"), partition: "bob")
        await storage.flush()
        // An error response has the field too.
        _ = try await setting.send(at("https://shop.test/out"))
        for url in kept { #expect(try await setting.send(at(url), mode: .only).status == 200, "\(url)") }
        for path in ["a", "b", "out"] {
            #expect(try await setting.send(at("https://shop.test/\(path)"), mode: .only).status == 504)
        }
        // Kept, and validated once: the URL has a mark for the copies in other processes.
        #expect(await storage.keys(partition: "bob")?.count == 1)
        if onDisk {
            await storage.flush()
            let other = DiskStorage(folder.path, limit: 1 << 20) { 0 }
            #expect(await other.keys(partition: "")?.count == kept.count)
        }
    }

    @Test("responses under way are not stored, nor are streams; nor is the response with the field")
    func onTheWay() async throws {
        let (arrived, gate) = (Gate(), Gate())
        let setting = Setting { request, number in
            if request.url.path == "/slow" {
                await arrived.open()
                await gate.wait()
            }
            return try await Self.origin()(request, number)
        }
        var stream = try at("https://shop.test/stream")
        stream.delivery = .stream
        let open = try await setting.send(stream)
        async let slow = setting.text(at("https://shop.test/slow"))
        await arrived.wait()
        _ = try await setting.send(at("https://shop.test/out"))
        await gate.open()
        _ = try await slow
        _ = try await open.body.collect()
        for path in ["slow", "stream", "out"] {
            #expect(try await setting.send(at("https://shop.test/\(path)"), mode: .only).status == 504, "\(path)")
        }
        _ = try await setting.send(at("https://shop.test/later"))
        #expect(try await setting.send(at("https://shop.test/later"), mode: .only).status == 200)
    }

    @Test("a stored response does not repeat it, a validation does, and what it confirmed is still returned")
    func stored() async throws {
        let setting = Setting { request, _ in
            let isCondition = request.headers.contains("If-None-Match")
            var headers: Headers = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
            if isCondition { headers["Clear-Site-Data"] = "\"cache\"" }
            return reply(isCondition ? 304 : 200, headers, isCondition ? "" : "body", url: request.url)
        }
        _ = try await setting.send(at("https://shop.test/a"))
        setting.time.advance(100)
        _ = try await setting.send(at("https://shop.test/b"))
        #expect(try await setting.text(at("https://shop.test/a")) == "body")
        #expect(try await setting.send(at("https://shop.test/b"), mode: .only).status == 504)
        #expect(try await setting.send(at("https://shop.test/a"), mode: .only).status == 504)
    }
}

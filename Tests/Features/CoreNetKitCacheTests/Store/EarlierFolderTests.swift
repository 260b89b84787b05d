import CoreNetKitCache
import TestSupport

@Suite("The folder of a cache of version 0.2", .timeLimit(.minutes(10)), .paced)
struct EarlierFolderTests {
    private let fixture: Fixture
    private let time = TestMachine()

    init() throws {
        fixture = try Fixture("cache")
        time.reboot()
        time.advance(100)
    }

    private static func at(_ path: String, _ headers: Headers = [:]) -> TransportRequest {
        get(headers, page.sibling(path))
    }

    private func setting() -> Setting {
        let storage = DiskStorage(fixture["responses"].path, limit: 8 << 20) { 1_800_000_000 }
        return Setting(storage: storage, time: time, Self.respond)
    }

    /// The server of the fixture.
    private static let respond: Origin.Handler = { request, _ in
        let asked = request.headers
        var fields: Headers = control("max-age=1000000")
        switch request.url.lastPathComponent {
        case "fresh", "marked": return reply(200, fields, "fresh")
        case "stale":
            fields = ["Cache-Control": "max-age=1", "ETag": "\"s\""]
            return asked["If-None-Match"] == "\"s\"" ? reply(304, fields, "") : reply(200, fields, "stale")
        case "vary":
            fields["Vary"] = "Accept-Language"
            return reply(200, fields, "in \(asked["Accept-Language"] ?? "")")
        case "large": return reply(200, fields, String(repeating: "large ", count: 12_000))
        case "part":
            fields["ETag"] = "\"p\""
            guard let range = asked["Range"] else { return reply(200, fields, "0123456789") }
            let isBegin = range == "bytes=0-4"
            fields["Content-Range"] = isBegin ? "bytes 0-4/10" : "bytes 5-9/10"
            return reply(206, fields, isBegin ? "01234" : "56789")
        default: return reply(200, fields, "of a user")
        }
    }

    @Test("serves what is fresh, in each variant and for each user, and validates what is stale")
    func serves() async throws {
        let setting = setting()
        #expect(try await setting.text(Self.at("fresh")) == "fresh")
        #expect(try await setting.text(Self.at("vary", ["Accept-Language": "de"])) == "in de")
        #expect(try await setting.text(Self.at("vary", ["Accept-Language": "en"])) == "in en")
        #expect(try await setting.text(Self.at("large")) == String(repeating: "large ", count: 12_000))
        #expect(try await setting.text(Self.at("me"), partition: "anna") == "of a user")
        #expect(try await setting.text(Self.at("part", ["Range": "bytes=0-4"])) == "01234")
        #expect(setting.origin.count == 0, "\(setting.origin.requests)")
        #expect(try await setting.text(Self.at("stale")) == "stale")
        #expect(setting.origin.requests.last?.headers["If-None-Match"] == "\"s\"")
        #expect(try await setting.text(Self.at("me"), partition: "bob") == "of a user")
        #expect(setting.origin.count == 2)
    }

    @Test("keeps the invalidations of unsafe requests: what was invalidated there is not served")
    func marks() async throws {
        let setting = setting()
        _ = try await setting.text(Self.at("marked"))
        #expect(setting.origin.count == 1)
    }

    @Test("is continued: the rest of a part is added to it, and the next process has old and new")
    func continues() async throws {
        do {
            let setting = setting()
            #expect(try await setting.text(Self.at("part")) == "0123456789")
            #expect(setting.origin.requests.last?.headers["Range"] == "bytes=5-")
            _ = try await setting.text(Self.at("new"))
            await setting.engine.vault.open.flush()
            let counts = await setting.engine.vault.open.counts
            #expect(counts.damaged == 0 && counts.errors == 0)
        }
        let next = setting()
        for path in ["part", "new", "fresh", "large"] { _ = try await next.text(Self.at(path)) }
        #expect(next.origin.count == 0)
    }

    private func client(_ folder: URL, _ user: String) -> (Client, Origin) {
        let origin = Origin { _, _ in reply(200, control("max-age=2000000000"), user) }
        let time = time
        let cache = ResponseCache(disk: .folder(folder, limit: .mebibytes(8)), clock: time.clock) { time.date }
        return (Client(transport: origin, clock: time.clock).cache(cache).set(partition: Partition(user)), origin)
    }

    @Test("has the responses that each user of a client had there", arguments: ["anna", "bob"])
    func clients(_ user: String) async throws {
        let (client, origin) = client(fixture["client"], user)
        #expect(try await text(client) == user)
        #expect(origin.count == 0)
    }
}

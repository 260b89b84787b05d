import CoreNetKitCache
import FileModel
import SecretKinds
import TestSupport

@Suite("The cache and the secret rules", .timeLimit(.minutes(10)), .paced)
struct CacheSecretTests {
    /// Says who asked, by everything that may tell.
    private let shop = Shop(Origin.numbered(fresh))

    private func text(_ path: String, _ headers: Headers, _ rules: SecretRules = .standard) async throws -> String {
        let chain: Chain<Void, Data> = shop.builder(path, shop.client.secrets(rules)).set(headers: headers).loadData()
        return String(decoding: try await chain.process() as Data, as: UTF8.self)
    }

    @Test("two users never share a response, whichever secret field distinguishes them")
    func partitions() async throws {
        var crossed: [String] = []
        let kinds = SecretKind.fields.map(\.text) + ["X-User-Id", "X-Tenant-Id", "X-Session-Color"]
        for (index, kind) in kinds.enumerated() {
            let alice = try await text("me\(index)", [kind: "alice"])
            let bob = try await text("me\(index)", [kind: "bob"])
            if alice == bob { crossed.append(kind) }
            #expect(try await text("me\(index)", [kind: "alice"]) == alice)
        }
        #expect(crossed == [])
    }

    @Test("what looks like credentials under a name that nobody knows is neither stored nor found")
    func unnamed() async throws {
        for (index, kind) in SecretKind.values.enumerated() {
            let line = try #require(kind.line)
            let field: Headers = [line.name: line.value]
            let first = try await text("me\(index)", field)
            #expect(try await text("me\(index)", field) != first, "\(kind)")
            #expect(try await text("me\(index)", [:]) != first, "\(kind)")
        }
    }

    @Test("an id of each call under a name that nobody knows keeps the hits at 100 %")
    func ids() async throws {
        let first = try await text("page", ["X-Acme-Request": UUID().uuidString])
        for _ in 0..<50 { #expect(try await text("page", ["X-Acme-Request": UUID().uuidString]) == first) }
        #expect(shop.cache.counts.hits == 50)
    }

    @Test("a sign-out removes what was stored for calls with fields of their own, in memory and on a disk")
    func signOut() async throws {
        for storage in [MemoryStorage(limit: 1 << 20), disk()] as [any CacheStorage] {
            let shop = Shop(storage: storage, Origin.numbered(fresh))
            let ann = shop.client.set(partition: Partition("ann"))
            for _ in 0..<2 { #expect(try await shop.text("me", ["X-Device-Id": "7"]) { _ in ann } == "1") }
            await shop.cache.removeAll(partition: Partition("ann"))
            #expect(try await shop.text("me", ["X-Device-Id": "7"]) { _ in ann } == "2")
        }
    }

    @Test("harmless fields share one response")
    func shared() async throws {
        // Fields that the cache itself uses for decisions.
        let deciding: Set = [
            "Cache-Control", "Pragma", "Range", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
            "If-Unmodified-Since", "If", "Accept-Datetime",
        ]
        var apart: [String] = []
        for (index, name) in HarmlessName.fields.enumerated() where !deciding.contains(name) {
            let first = try await text("page\(index)", [name: "1"])
            if try await text("page\(index)", [name: "2"]) != first { apart.append(name) }
        }
        #expect(apart == [])
    }

    @Test("a client's own secret field separates partitions, an exempted one does not")
    func own() async throws {
        let rules = SecretRules.standard.adding(fields: ["X-Corp-Id"]).exempting(fields: ["X-Session-Color"])
        #expect(try await text("a", ["X-Corp-Id": "1"], rules) != text("a", ["X-Corp-Id": "2"], rules))
        let exempted = try await text("b", ["X-Session-Color": "1"], rules)
        #expect(try await text("b", ["X-Session-Color": "2"], rules) == exempted)
    }

    @Test("URLs with a secret item or a token stay in memory, harmless ones go to disk, however random")
    func urls() throws {
        let places = (SecretKind.items + SecretKind.urls).filter { kind in
            kind.url?.hasPrefix("http") == true && !kind.text.contains("#")
        }
        for kind in places + SecretKind.values {
            #expect(!CacheKey(url: try #require(URL(string: kind.url ?? ""))).isPersistent, "\(kind)")
        }
        for name in HarmlessName.items {
            let value = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3"
            let url = try #require(URL(string: "https://a.test/x?\(name)=\(value)&next=%2Fy%3Fpage%3D2#part"))
            #expect(CacheKey(url: url).isPersistent, "\(name)")
        }
    }

    @Test("a response with a secret in a field or a field's URL is not written, nor is one selected by such a field")
    func responses() {
        let secret = SecretKind.canary
        for kind in SecretKind.fields {
            #expect(variant(1, headers: [kind.text: secret]).hasSecrets, "\(kind)")
            let selecting = [SelectingField(name: kind.text.lowercased(), value: secret)]
            #expect(variant(1, headers: [:], selecting: selecting).hasSecrets, "\(kind)")
        }
        for kind in SecretKind.items {
            for name in ["Location", "Content-Location", "Referer"] {
                #expect(variant(1, headers: [name: kind.url ?? ""]).hasSecrets, "\(name): \(kind)")
            }
            #expect(variant(1, headers: ["Link": "<\(kind.url ?? "")>; rel=\"next\""]).hasSecrets, "\(kind)")
        }
        for name in HarmlessName.fields {
            let field: Headers = [name: "</x?page=2&cursor=aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3#part>; rel=\"next\""]
            #expect(!variant(1, headers: field).hasSecrets, "\(name)")
        }
    }

    @Test("no byte of a secret is on disk")
    func onDisk() async throws {
        let files = ModelFiles()
        let disk = disk(files)
        let setting = Setting(storage: disk) { _, number in
            let kind = SecretKind.fields[number - 1].text
            return reply(200, ["Cache-Control": "max-age=60", kind: SecretKind.canary])
        }
        for (index, _) in SecretKind.fields.enumerated() {
            for _ in 0..<2 { try await setting.send(get([:], page.appending(path: "\(index)"))) }
        }
        #expect(setting.origin.count == SecretKind.fields.count)
        await disk.flush()
        #expect(!files.holds(SecretKind.canary))
    }
}

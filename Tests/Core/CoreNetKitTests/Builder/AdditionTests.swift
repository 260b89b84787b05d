import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Additions to a request", .timeLimit(.minutes(10)), .paced)
struct AdditionTests {
    private let requests = Recorder<TransportRequest>()

    private func sent(_ change: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>) async throws -> TransportRequest
    {
        let client = Client(transport: requests.transport()).add(header: "X-Client", "c").add(query: ["key": "k"])
        let base = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/?page=1")
        try await change(base).build().process()
        return try #require(requests.values.last)
    }

    @Test("a field is added to existing ones; one with the same name replaces all of them")
    func header() async throws {
        let added = try await sent { $0.add(header: "X-A", "1").add(header: "X-B", "2").add(header: "x-a", "3") }
        #expect(added.headers[values: "X-A"] == ["3"])
        #expect(added.headers["X-B"] == "2" && added.headers["X-Client"] == "c")

        let replaced = try await sent { $0.set(metadata: ["X-A": "1"]) }
        #expect(replaced.headers["X-A"] == "1" && replaced.headers["X-Client"] == nil)
        let kept = try await sent { $0.set(metadata: ["X-A": "1"]).add(header: "X-B", "2") }
        #expect(kept.headers["X-A"] == "1" && kept.headers["X-B"] == "2")
    }

    @Test("content stays as it is on the wire where a verb says so")
    func contentCoding() async throws {
        #expect(try await sent { $0 }.coding == .automatic)
        #expect(try await sent { $0.set(contentCoding: .identity) }.coding == .identity)
        let both = try await sent { $0.set(contentCoding: .identity).set(contentCoding: .automatic) }
        #expect(both.coding == .automatic)
    }

    @Test("repeated fields stay repeated, and replace existing lines")
    func headers() async throws {
        let added = try await sent {
            $0.add(headers: ["X-A": "0", "X-B": "2"]).add(headers: ["X-A": "1", "x-a": "2", "X-Client": "mine"])
        }
        #expect(added.headers[values: "X-A"] == ["1", "2"])
        #expect(added.headers["X-B"] == "2")
        #expect(added.headers[values: "X-Client"] == ["mine"])
    }

    @Test("query items are added to those of client and route; for an existing name the new value counts")
    func query() async throws {
        let added = try await sent { $0.add(query: ["a": 1, "b": 2]).add(query: ["b": 3, "list": [1, 2]]) }
        #expect(added.url.query() == "page=1&a=1&b=3&key=k&list%5B%5D=1&list%5B%5D=2")
        let own = try await sent { $0.add(query: ["key": "mine"]) }
        #expect(own.url.query() == "page=1&key=mine")
        let replaced = try await sent { $0.set(query: ["a": 1]) }
        #expect(replaced.url.query() == "page=1&a=1")
        let none = try await sent { $0.add(query: [:]) }
        #expect(none.url.query() == "page=1&key=k")
    }

    @Test("a value without a query form makes the call fail, whether it was set first or added later")
    func unsupported() async throws {
        struct Own {}
        for step in [0, 1] {
            let error = await #expect(throws: NetworkError.self) {
                _ = try await sent {
                    $0.add(query: step == 0 ? ["a": Own()] : ["b": 1]).add(query: step == 0 ? ["b": 1] : ["a": Own()])
                }
            }
            #expect(error?.code == .unsupportedValue)
        }
    }
}

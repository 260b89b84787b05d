import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("A policy with a step around the models", .paced)
struct PolicyLayerTests {
    private struct Noting: Layer {
        let passed: Recorder<String>

        func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
            AnyNode<Input, Output>("Noting", successors: [next]) { input, context in
                passed.record("in")
                let output = try await next.process(input, context: context)
                passed.record("out")
                return output
            }
        }
    }

    private struct Bringing: ChainPolicy {
        let passed: Recorder<String>
        var positions: [ChainPosition] { [.cache] }
        var layer: (any Layer)? { Noting(passed: passed) }

        func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { next }
    }

    @Test("has that step in its chains without an explicit insertion", arguments: [false, true])
    func alone(brings: Bool) async throws {
        let passed = Recorder<String>()
        var client = Client(transport: ClosureTransport(status: 200))
        if brings { client = client.with(Bringing(passed: passed)) }
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client).route(.get, "http://a.test").build()
        try await chain.process()
        #expect(passed.values == (brings ? ["in", "out"] : []))
    }
}

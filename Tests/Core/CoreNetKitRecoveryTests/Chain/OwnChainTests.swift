import CoreNetKit
import CoreNetKitMock
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing

@Suite("Chains of custom nodes", .timeLimit(.minutes(10)), .paced)
struct OwnChainTests {
    private struct Silent: MetadataProvider {
        let gate: Gate

        func metadata() async throws -> Headers {
            try await gate.pass()
            return [:]
        }
    }

    @Test("a provider that never responds is abandoned at the deadline, which needs the chain's clock")
    func provider() async throws {
        let wire = Wire(statuses: [200])
        let clock = CallClock(wire.clock)
        let gate = Gate()
        let head = HeadersNode(next: TransportNode(wire), provider: Silent(gate: gate))
        let chain = Chain(head, deadline: .seconds(5), clock: clock)
        let request = TransportRequest(url: try #require(URL(string: host)))
        let call = Task { await failure { _ = try await chain.process(request) as TransportResponse } }
        await gate.arrived(1)
        await wire.clock.sleeping(5)
        wire.clock.advance(by: .seconds(5))
        let error = await call.value
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.node == "HeadersNode")
        #expect(wire.count == 0)
    }
}

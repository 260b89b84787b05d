import CoreNetKitFleet
import TestPace

@Suite("One import", .timeLimit(.minutes(10)), .paced)
struct ImportTests {
    @Test("brings the stores and what is in them")
    func brings() async throws {
        let store: any SharedStore = LocalStore()
        let lease = try await store.lease(SharedKey(kind: "test", "one"), for: .seconds(1))
        #expect(lease?.fencingToken == 1)
    }
}

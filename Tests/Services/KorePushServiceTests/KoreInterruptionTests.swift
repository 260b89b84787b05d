import KorePushService
import PushDoubles
import PushServersMock
import TestSupport

@Suite("Kore: killed at any point", .timeLimit(.minutes(10)), .paced)
struct KoreInterruptionTests {
    @Test("no change is lost, wherever the process ends", arguments: 0..<100)
    func killed(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let kore = KorePushServer(users: ["u-1": "good"])
        let disk = InMemoryStore()
        let tokens = [KoreDeviceToken.first, .second, .token("ff00")]
        // What the app asked for last and was told to have been done, and everything since.
        var possible: [String?] = [nil]

        for _ in 0..<4 {
            let life = Life(steps: Int.random(in: 0...12, using: &random))
            let push = try Self.push(kore, disk, life)
            for _ in 0..<3 {
                let token = tokens.randomElement(using: &random)
                let error: KorePushError?
                if let token, Bool.random(using: &random) {
                    possible.append(token.hex)
                    error = await koreFailure { try await push.subscribe(token) }
                } else {
                    possible.append(nil)
                    error = await koreFailure { try await push.unsubscribe() }
                }
                if error == nil { possible = [possible[possible.count - 1]] }
            }
        }

        let push = try Self.push(kore, disk, Life())
        try await push.flush()
        let state = try await push.state()
        #expect(possible.contains(state.token?.hex))
        #expect(state.isComplete)
        #expect(kore.devices(of: "u-1") == Set([state.token?.hex].compactMap(\.self)))
        let count = kore.exchanges.count
        try await push.flush()
        #expect(kore.exchanges.count == count)
    }

    private static func push(_ kore: KorePushServer, _ disk: InMemoryStore, _ life: Life) throws -> KorePush {
        try korePush(over: kore.transport(life), MortalStore(disk, life))
    }
}

import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import Foundation
import KorePushService
import PushServersMock
import Testing

@Suite("Kore: killed at any point", .timeLimit(.minutes(4)))
struct KoreInterruptionTests {
    @Test("no wish is lost, whatever the point at which the process ends", arguments: 0..<200)
    func killed(_ seed: Int) async throws {
        var random = Seeded(state: UInt64(seed))
        let kore = KorePushServer(users: ["u-1": "good"])
        let disk = Disk()
        let tokens = [KoreDeviceToken.first, .second, .token("ff00")]
        // What the app asked for last and was told to have been done, and everything since.
        var possible: [String?] = [nil]

        for _ in 0..<4 {
            let life = Life(stepsLeft: Int.random(in: 0...12, using: &random))
            let push = try Self.push(kore, disk, life)
            for _ in 0..<3 {
                let token = tokens.randomElement(using: &random)
                let error: KorePushError?
                if let token, Bool.random(using: &random) {
                    possible.append(token.hex)
                    error = await failure { try await push.subscribe(token) }
                } else {
                    possible.append(nil)
                    error = await failure { try await push.unsubscribe() }
                }
                if error == nil { possible = [possible[possible.count - 1]] }
            }
        }

        let push = try Self.push(kore, disk, Life(stepsLeft: .max))
        try await push.flush()
        let state = try await push.state()
        #expect(possible.contains(state.token?.hex))
        #expect(state.isComplete)
        #expect(kore.devices(of: "u-1") == Set([state.token?.hex].compactMap(\.self)))
        let count = kore.exchanges.count
        try await push.flush()
        #expect(kore.exchanges.count == count)
    }

    private static func push(_ kore: KorePushServer, _ disk: Disk, _ life: Life) throws -> KorePush {
        let transport = MockTransport { mock in
            mock.on(nil, "/**") { request in
                try await life.step()
                let answer = kore.respond(
                    method: request.method,
                    target: request.path,
                    headers: request.headers,
                    body: request.text
                )
                // The server has acted; its answer may not arrive.
                try await life.step()
                guard case .text(let text) = answer.body else { return .status(answer.status) }
                return .json(text, status: answer.status)
            }
        }
        return try KorePush(
            session: KoreSession(userID: "u-1", accessToken: "good"),
            configuration: KoreConfiguration(server: try #require(URL(string: "https://bots.example")), retry: nil),
            store: MortalStore(disk: disk, life: life),
            client: Client(transport: transport)
        )
    }
}

/// What survives the process.
private actor Disk {
    var values: [String: Data] = [:]
    func write(_ data: Data?, _ key: String) { values[key] = data }
}

/// A process that ends after so many steps: everything after fails and has no effect.
private actor Life {
    private var stepsLeft: Int

    init(stepsLeft: Int) { self.stepsLeft = stepsLeft }

    func step() throws {
        guard stepsLeft > 0 else { throw TransportError(.connectionLost, phase: .receive, message: "killed") }
        stepsLeft -= 1
    }
}

private struct MortalStore: KoreSecureStore {
    let disk: Disk
    let life: Life

    func data(for key: String) async throws -> Data? { await disk.values[key] }

    func set(_ data: Data?, for key: String) async throws {
        try await life.step()
        await disk.write(data, key)
    }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

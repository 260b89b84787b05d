import IDPushService
import PushDoubles
import PushServersMock
import TestSupport

/// Kills the process at every point of a script: before each store write, before a request, and before its response.
@Suite("IDPush, killed at any point", .timeLimit(.minutes(10)), .paced)
struct InterruptionTests {
    /// A script of distinct changes, so that whatever is carried out twice can be told.
    static func script(_ seed: Int) -> [IDPushAction] {
        var random = SplitMix64(seed: UInt64(seed))
        return [.addDevice(token: Rig.token)]
            + (1...6).map { step in
                switch random.next() % 5 {
                case 0: .addDevice(token: "0\(step)ff")
                case 1: .subscribe
                case 2: .unsubscribe
                case 3: .setTags(tags: ["t\(random.next() % 3)": .int(step), "all": .string("s\(step)")])
                default: .editDevice(parameters: ["p": .int(step)])
                }
            }
    }

    @Test("no change is lost or carried out twice, id and opt-out are right", arguments: TestRounds.seeds(1, from: 1))
    func killedOnce(_ seed: Int) async throws {
        let script = Self.script(seed)
        var points = 0
        while try await run(script, killedAfter: [points]) { points += 1 }
        #expect(points > 15)
    }

    @Test("the same if it is killed again while it recovers", arguments: [0, 3])
    func killedTwice(_ second: Int) async throws {
        let script = Self.script(99)
        var points = 0
        while try await run(script, killedAfter: [points, second]) { points += 1 }
        #expect(points > 15)
    }

    /// Runs a script in processes of so many steps each, then one that is not killed, and compares with a run that was
    /// not interrupted; returns whether the first process was killed.
    private func run(_ script: [IDPushAction], killedAfter lives: [Int]) async throws -> Bool {
        let stored = InMemoryStore()
        var rig = Rig()
        var life = Life(steps: lives[0])
        rig.life = life
        rig.store = MortalStore(stored, life)
        var push = try rig.service()
        var changes: [IDPushAction] = []
        for action in script {
            let before = stored.contents
            do {
                _ = try await push.perform(action)
                changes.append(action)
            } catch {
                #expect(life.isOver)
                if stored.contents != before { changes.append(action) }
            }
            if life.isOver { break }
        }
        let wasKilled = life.isOver
        for steps in (wasKilled ? lives.dropFirst() : []) + [.max] {
            life = Life(steps: steps)
            rig.life = life
            rig.store = MortalStore(stored, life)
            push = try rig.service()
            do { try await push.flush() } catch { #expect(life.isOver) }
        }

        let control = Rig()
        let expected = try control.service()
        for action in changes { _ = try await expected.perform(action) }
        // A new player id makes known tags open again; they follow with the next flush.
        try await push.flush()
        try await expected.flush()

        #expect(rig.server.devices == control.server.devices)
        #expect(rig.server.carriedOut == control.server.carriedOut)
        #expect(push.playerID == expected.playerID)
        #expect(push.isOptedOut == expected.isOptedOut)
        #expect(push.tags == expected.tags)
        #expect(!push.hasPending)
        #expect(stored.contents["IDPush_PreviousPlayerID"] == expected.playerID)
        return wasKilled
    }
}

extension IDPushServer {
    /// The requests that changed something, without those that the server knew by their key, in no particular order.
    fileprivate var carriedOut: [String] {
        exchanges.filter { !$0.isRepeated && $0.status == 200 }
            .map { $0.form.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
            .sorted()
    }
}

/// The changes of tags that go out, against a model.
@Suite("IDPush, tag changes", .timeLimit(.minutes(10)), .paced)
struct TagChangeTests {
    @Test(
        "changes applied to the old tags give the new ones, whatever was lost on the way",
        arguments: TestRounds.seeds(5, from: 1)
    )
    func changes(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let rig = Rig()
        var push = try await rig.registered()
        var model: [String: String] = [:]
        for step in 0..<25 {
            var changes: [String: TagValue] = [:]
            for _ in 0...(random.next() % 3) {
                let value = random.next() % 4
                changes["k\(random.next() % 5)"] = value == 0 ? .remove : .int(Int(value))
            }
            for (key, value) in changes {
                if case .int(let number) = value { model[key] = "\(number)" } else { model[key] = nil }
            }
            if random.next() % 3 == 0 { rig.server.fail(random.next() % 2 == 0 ? .reset : .lostResponse) }
            let failure = await Rig.failure { _ = try await push.setTags(changes) }
            if failure == nil { #expect(rig.server.devices.first?.tags == model) }
            if step % 7 == 0 { push = try rig.service() }
        }
        // Faults that no request has met yet are met now.
        while push.hasPending { _ = await Rig.failure { try await push.flush() } }
        #expect(rig.server.devices.first?.tags == model)
        #expect(push.tags == model.mapValues { .int(Int($0) ?? 0) })
        // Everything is confirmed: the same again is no request.
        let count = rig.mock.requests.count
        _ = try await push.setTags(push.tags)
        #expect(rig.mock.requests.count == count)
    }
}

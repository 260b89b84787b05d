import AlarmService
import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem
import Foundation
import IDPushService
import PushRegistration
import PushServersMock
import TestPace
import Testing

/// `RANDOM_SEEDS=2000 swift test --filter SharedPhoneTests` tries so many.
@Suite("Several users of one device", .timeLimit(.minutes(10)), .paced)
struct SharedPhoneTests {
    private static let seeds = ProcessInfo.processInfo.environment["RANDOM_SEEDS"].flatMap { Int($0) } ?? 200

    /// What the users do, in an order that the seed decides; much of it is not waited for.
    private final class Schedule {
        let phone: SharedPhone
        var app: SharedApp
        var random: SplitMix64
        var user: String?
        var tags: String?
        var count = 0
        var kept: Set<String> = []
        var log: [String] = []
        var calls: [Observer<Void>] = []
        var tasks: [Task<Void, Never>] = []
        var taps: [Observer<AlarmActionResult>] = []
        var lists: [AlarmList<String>] = []

        init(seed: UInt64) throws {
            phone = SharedPhone(seed: seed)
            app = try SharedApp(phone)
            random = SplitMix64(seed: seed)
        }

        func step() async throws {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30: try await comment()
            case 30..<40: tap()
            case 40..<50: try await tag()
            case 50..<65: deliver()
            case 65..<80: login(SharedPhone.users[Int.random(in: 0..<3, using: &random)])
            case 80..<90: try await logout(isKeeping: .random(using: &random), parks: .random(using: &random))
            case 90..<93: await unnamed()
            case 93..<97: await rest()
            default: try await restart()
            }
        }

        func comment() async throws {
            guard let user else { return }
            count += 1
            let text = "\(user) \(count)"
            log.append("post \(text)")
            if Bool.random(using: &random) {
                try await app.store(text)
                kept.insert(text)
            } else {
                // As somebody who signs out while it is being stored: it may fail, and must not be anybody else's.
                let app = app
                tasks.append(Task { try? await app.store(text, of: Partition(user)) })
            }
        }

        func tap() {
            guard let user, let list = lists.last, let index = SharedPhone.users.firstIndex(of: user) else { return }
            // Nobody waits for it: it ends when its user is back.
            taps.append(list.markRead(index + 3 * Int.random(in: 1..<20, using: &random)))
        }

        func tag() async throws {
            guard let user else { return }
            count += 1
            log.append("tag \(user) \(count)")
            tags = "\(user) \(count)"
            let push = app.push
            let call: Observer<IDPushReply> = push.setTags(["of": .string("\(user) \(count)")])
            tasks.append(Task { _ = try? await call.value })
        }

        func deliver() {
            let app = app
            tasks.append(Task { _ = try? await app.outbox.drain(with: app.client) })
        }

        func login(_ new: String) {
            log.append("login \(new)")
            if new != user { tags = nil }
            user = new
            calls.append(app.identity.login(new))
            app.tokens.set(AccessToken("t-\(new)"), user: new)
            lists.last?.close()
            lists.append(app.list())
        }

        func logout(isKeeping: Bool, parks: Bool) async throws {
            log.append("logout keeping \(isKeeping) parking \(parks)")
            guard let user else { return }
            if parks {
                try await app.outbox.park(Partition(user))
                if !isKeeping {
                    try await app.outbox.removeAll(owner: user)
                    phone.state.withLock { state in
                        let sent = Set(state.comments.values)
                        let gone = kept.filter { $0.hasPrefix(user + " ") && !sent.contains($0) }
                        kept.subtract(gone)
                        state.dropped.formUnion(gone)
                    }
                }
            }
            calls.append(app.identity.logout())
            app.tokens.set(nil)
            if parks { await app.outbox.unpark(Partition(user)) }
            (self.user, tags) = (nil, nil)
            lists.last?.close()
        }

        func unnamed() async {
            log.append("unnamed")
            calls.append(app.identity.logout())
            app.tokens.set(AccessToken("t-unnamed"))
            (user, tags) = (nil, nil)
            lists.last?.close()
            // Its requests are nobody's in another process: not stored.
            let isStored = (try? await app.store("unnamed")) != nil
            #expect(!isStored)
        }

        /// Waits for all that was begun.
        func rest() async {
            for task in tasks { await task.value }
            for call in calls { _ = try? await call.value }
            (tasks, calls) = ([], [])
        }

        func restart() async throws {
            await rest()
            log.append("restart")
            app = try SharedApp(phone)
            calls.append(app.identity.flush())
            if let user { app.tokens.set(AccessToken("t-\(user)"), user: user) }
            lists = user == nil ? [] : [app.list()]
        }

        func check(_ place: String) async throws {
            await rest()
            try await app.identity.flush().value
            try await app.push.flush()
            #expect(phone.subscribed == (user.map { [$0] } ?? []), "\(place) \(log)")
            #expect(phone.idpush.devices.first?.tags["of"] == tags, "\(place) \(log)")
            #expect(try app.identity.state().leaving.isEmpty, "\(place) \(log)")
        }
    }

    private func run(_ seed: UInt64) async throws {
        let schedule = try Schedule(seed: seed)
        let phone = schedule.phone
        _ = try await schedule.app.push.perform(.addDevice(token: Phone.token))
        phone.state.withLock { $0.isFaulty = true }
        for _ in 0..<30 { try await schedule.step() }
        await schedule.rest()
        phone.state.withLock { $0.isFaulty = false }
        try await schedule.check("seed \(seed)")
        // Each one comes back, and what was kept goes out.
        for user in SharedPhone.users {
            try await schedule.logout(isKeeping: true, parks: true)
            schedule.login(user)
            await schedule.rest()
            try await schedule.app.outbox.drain(with: schedule.app.client)
        }
        try await schedule.check("seed \(seed) at the end")
        let comments = phone.comments
        for text in schedule.kept {
            #expect(comments.count { $0 == text } == 1, "seed \(seed): \(text) \(schedule.log)")
        }
        #expect(phone.state.withLock { $0.violations } == [], "seed \(seed) \(schedule.log)")
        #expect(await schedule.app.outbox.state.deadLetters.isEmpty, "seed \(seed)")
    }

    @Test("nothing goes out as somebody else, and nothing of one is removed by another")
    func schedules() async throws {
        for seed in 1...Self.seeds { try await run(UInt64(seed)) }
    }
}

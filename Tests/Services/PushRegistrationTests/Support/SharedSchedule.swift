import AlarmService
import CoreNetKitOutbox
import IDPushService
import PushRegistration
import PushServersMock
import TestSupport

/// What the users of a phone do, in an order that the seed decides; much of it is not waited for.
final class SharedSchedule {
    let phone: SharedPhone
    private(set) var app: SharedApp
    /// Comments that were stored, and must reach the server once.
    private(set) var kept: Set<String> = []
    private(set) var log: [String] = []
    private let dice: VisitDice
    private var visit: Visit?
    /// The user whose registration the device should have.
    private var registered: String?
    private var tags: String?
    private var count = 0
    private var calls: [Observer<Void>] = []
    private var tasks: [Task<Void, Never>] = []
    private var looks: [Task<Void, Never>] = []
    private var leaves: [(user: String, task: Task<Void, Never>)] = []
    /// Users who came back before their sign-out was over: what it undid by name must be done again.
    private var cameBack: String?
    private var taps: [Observer<AlarmActionResult>] = []
    private var lists: [AlarmList<String>] = []

    init(seed: UInt64) throws {
        phone = SharedPhone(seed: seed)
        dice = VisitDice(seed: seed)
        app = try SharedApp(phone)
        app.tokens.set(nil)
        signedOut()
    }

    private var user: String? { visit.flatMap { $0.isNamed ? $0.user : nil } }

    private func isLeaving(_ user: String) -> Bool { leaves.contains { $0.user == user } }

    func step() async throws {
        switch dice.roll(100) {
        case 0..<28: look()
        case 28..<42: try await comment()
        case 42..<47: tap()
        case 47..<54: tag()
        case 54..<64: deliver()
        case 64..<75: await login(SharedPhone.users[dice.roll(3)])
        case 75..<80: try await logout(isKeeping: dice.rolls(oneIn: 2), parks: dice.rolls(oneIn: 2))
        case 80..<87: await signOut(isAwaited: dice.rolls(oneIn: 2))
        case 87..<90: await unnamed()
        case 90..<93: if !looks.isEmpty { looks[dice.roll(looks.count)].cancel() }
        case 93..<97: await rest()
        default: try await restart()
        }
        await dice.pause(4)
    }

    // MARK: - What a user does

    private func look() {
        let (app, page, isWrite) = (app, ["a", "b", "c"][dice.roll(3)], dice.rolls(oneIn: 3))
        looks.append(Task { await app.look(at: page, isWrite: isWrite) })
    }

    private func comment() async throws {
        guard let user else { return }
        count += 1
        let text = "\(user) \(count)"
        log.append("post \(text)")
        if dice.rolls(oneIn: 2) {
            try await app.store(text)
            if !isLeaving(user) { kept.insert(text) }
        } else {
            // As if signing out while it is being stored: it may fail, and must not become another user's.
            let app = app
            tasks.append(Task { try? await app.store(text, of: Partition(user)) })
        }
    }

    private func tap() {
        guard let user, let list = lists.last, let index = SharedPhone.users.firstIndex(of: user) else { return }
        // Not waited for: it ends when its user is back.
        taps.append(list.markRead(index + 3 * (1 + dice.roll(19))))
    }

    private func tag() {
        guard let user, registered == user, !isLeaving(user) else { return }
        count += 1
        log.append("tag \(user) \(count)")
        tags = "\(user) \(count)"
        let call: Observer<IDPushReply> = app.push.setTags(["of": .string("\(user) \(count)")])
        tasks.append(Task { _ = try? await call.value })
    }

    private func deliver() {
        let app = app
        tasks.append(Task { _ = try? await app.outbox.drain(with: app.client) })
    }

    // MARK: - Who comes and goes

    /// The same name goes on with its login.
    func login(_ new: String) async {
        log.append("login \(new)")
        if new != registered { tags = nil }
        registered = new
        if isLeaving(new) { cameBack = new }
        calls.append(app.identity.login(new))
        let isSame = user == new
        let next = isSame ? visit ?? phone.record.begin(new) : phone.record.begin(new)
        let credential = phone.record.credential(of: next)
        if dice.rolls(oneIn: 2) {
            app.tokens.set(credential, user: new)
        } else {
            do { try await app.tokens.login(credential, user: new) } catch { phone.record.problem("login: \(error)") }
        }
        took(next)
        lists.last?.close()
        lists.append(app.list())
    }

    private func took(_ next: Visit) {
        visit = next
        phone.record.register(next, as: app.tokens.session)
    }

    /// No user is signed in: a login of its own, for which there is never a response.
    private func signedOut() {
        visit = nil
        // A user who was already signed out stays in the same session.
        if !phone.record.knows(app.tokens.session) {
            phone.record.register(phone.record.begin("gone"), as: app.tokens.session)
        }
    }

    /// Step by step, each object separately.
    func logout(isKeeping: Bool, parks: Bool) async throws {
        guard let user, !isLeaving(user) else { return }
        log.append("logout \(user) keeping \(isKeeping) parking \(parks)")
        if parks {
            try await app.outbox.park(Partition(user))
            if !isKeeping {
                try await app.outbox.removeAll(owner: user)
                phone.drop(giveUp(user))
            }
        }
        calls.append(app.identity.logout())
        app.tokens.set(nil)
        if parks { await app.outbox.unpark(Partition(user)) }
        (registered, tags) = (nil, nil)
        signedOut()
        lists.last?.close()
    }

    /// A user's comments that need not arrive any more.
    private func giveUp(_ user: String) -> Set<String> {
        let gone = kept.filter { $0.hasPrefix(user + " ") }
        let sent = Set(phone.comments)
        kept.subtract(gone.filter { !sent.contains($0) })
        return gone
    }

    /// All at once; if it is not waited for, the next user signs in while the keepers let go.
    private func signOut(isAwaited: Bool) async {
        guard let visit else { return }
        let all: [SignOut.Kind] = [.responses, .cookies, .requests, .registrations]
        let kinds = Set(all.filter { _ in dice.rolls(oneIn: 3) })
        log.append("sign out \(visit.text) keeping \(kinds.map(\.description).sorted())")
        let gone = kinds.contains(.requests) ? [] : giveUp(visit.user)
        if registered == visit.user, !kinds.contains(.registrations) { (registered, tags) = (nil, nil) }
        let (app, phone) = (app, phone)
        let task = Task {
            // Real time: nothing here takes any, except on a busy machine.
            let result = await app.client.signOut(within: .seconds(300), keeping: kinds, and: [app.identity])
            for leftover in result.leftovers where leftover.kind != .registrations || !phone.isFaulty {
                phone.record.problem("left: \(leftover.kind), \(leftover.error)")
            }
            phone.record.close(visit, keeping: kinds)
            phone.drop(gone)
        }
        leaves.append((visit.user, task))
        while !app.tokens.isSignedOut { await Task.yield() }
        signedOut()
        lists.last?.close()
        if isAwaited { await haveLeft() }
    }

    private func haveLeft() async {
        for leave in leaves { await leave.task.value }
        leaves = []
        if let cameBack, cameBack == registered { calls.append(app.identity.login(cameBack)) }
        cameBack = nil
    }

    private func unnamed() async {
        log.append("unnamed")
        calls.append(app.identity.logout())
        let next = phone.record.begin(nil)
        app.tokens.set(phone.record.credential(of: next))
        took(next)
        (registered, tags) = (nil, nil)
        lists.last?.close()
        // In another process its requests have no owner: not stored.
        let isStored = (try? await app.store("unnamed")) != nil
        if isStored { phone.record.problem("a request of nobody by name is stored") }
    }

    // MARK: - Ends

    /// Waits for everything that was started.
    func rest() async {
        for task in tasks + looks { await task.value }
        await haveLeft()
        for call in calls { _ = try? await call.value }
        (tasks, looks, calls) = ([], [], [])
    }

    private func restart() async throws {
        await rest()
        log.append("restart")
        await app.store()
        app = try SharedApp(phone)
        calls.append(app.identity.flush())
        app.tokens.set(nil)
        if let visit, visit.isNamed {
            app.tokens.set(phone.record.credential(of: visit), user: visit.user)
            took(visit)
        } else {
            signedOut()
        }
        lists = user == nil ? [] : [app.list()]
    }

    /// The state of the servers, once nothing fails any more.
    func check(_ place: String) async throws {
        await rest()
        try await app.identity.flush().value
        try await app.push.flush()
        #expect(phone.subscribed == (registered.map { [$0] } ?? []), "\(place) \(log)")
        #expect(phone.idpush.devices.first?.tags["of"] == tags, "\(place) \(log)")
        #expect(try app.identity.state().pendingSignOuts.isEmpty, "\(place) \(log)")
        await app.store()
    }
}

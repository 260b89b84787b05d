import IDPushService
import KorePushService
import PushServersMock
import TestSupport

@Suite("Members of an identity", .timeLimit(.minutes(10)), .paced)
struct PushMemberTests {
    @Test("a sign-out that was sent ends no other: a user who came back and signed out again meanwhile is undone too")
    func leftAgain() async throws {
        let kore = Member("Kore")
        let slow = Member("slow")
        let identity = PushIdentity(store: InMemoryStore(), members: [kore, slow])
        try await identity.login("alice").value
        slow.hold()
        let first = identity.logout()
        await slow.held()
        #expect(kore.registered.isEmpty)
        // Twice for the first login and logout, once more for this one.
        let second = identity.login("alice")
        await kore.settled(3)
        #expect(kore.registered == ["alice"])
        let third = identity.logout()
        slow.release()
        for call in [first, second, third] { try await call.value }
        #expect(kore.registered.isEmpty && slow.registered.isEmpty)
        let state = try identity.state()
        #expect(state.user == nil && state.pendingSignOuts.isEmpty)
    }

    @Test("members with one name are told separately, and an older version's mark counts for neither")
    func sameName() async throws {
        let store = InMemoryStore()
        let members = [Member("Kore"), Member("Kore")]
        let identity = PushIdentity(store: store, members: members)
        try await identity.login("alice").value
        #expect(members.allSatisfy { $0.registered == ["alice"] })
        members[1].set(isLocked: true)
        await #expect(throws: Member.Locked.self) { try await identity.logout().value }
        #expect(members[0].registered.isEmpty && members[1].registered == ["alice"])
        #expect(try identity.state().pendingSignOuts == ["alice"])
        members[1].set(isLocked: false)
        try await identity.flush().value
        #expect(members[1].registered.isEmpty)
        #expect(try identity.state().pendingSignOuts.isEmpty)

        // What an earlier version has stored: the first one was told, in the name of both.
        members[1].set(["alice"])
        store.set(#"{"leaving":[{"told":["Kore"],"user":"alice"}]}"#, for: "PushIdentity.v1")
        try await identity.flush().value
        #expect(members[1].registered.isEmpty)
        #expect(try identity.state().pendingSignOuts.isEmpty)
    }

    @Test("a member that could not be notified keeps the sign-out pending, even if it could send by then")
    func toldLater() async throws {
        let member = Member("a")
        let other = Member("b")
        let identity = PushIdentity(store: InMemoryStore(), members: [member, other])
        try await identity.login("alice").value
        member.set(isLocked: true, isSettling: true)
        await #expect(throws: Member.Locked.self) { try await identity.logout().value }
        #expect(try identity.state().pendingSignOuts == ["alice"])
        #expect(other.registered.isEmpty)
        member.set(isLocked: false)
        try await identity.flush().value
        #expect(member.registered.isEmpty)
        #expect(try identity.state().pendingSignOuts.isEmpty)
    }

    // MARK: - IDPush

    @Test("a late leave removes the tags of the user who left, and no others", arguments: [true, false])
    func lateLeave(isStoreBackAtLogin: Bool) async throws {
        let phone = Phone()
        let locked = LockableStore()
        let push = try phone.launch().push(on: locked)
        let identity = PushIdentity(store: InMemoryStore(), members: [push])
        _ = try await push.perform(.addDevice(token: Phone.token))
        try await identity.login("alice").value
        _ = try await push.setTags(["plan": "alice's", "only": "hers"])
        locked.set(isLocked: true)
        _ = try? await identity.logout().value
        if isStoreBackAtLogin { locked.set(isLocked: false) }
        _ = try? await identity.login("bob").value
        locked.set(isLocked: false)
        _ = try await push.setTags(["plan": "bob's"])
        try await identity.flush().value
        #expect(phone.idpush.devices.first?.tags == ["plan": "bob's"])
        try await identity.flush().value
        #expect(phone.idpush.devices.first?.tags == ["plan": "bob's"])
        try await identity.logout().value
        #expect(phone.idpush.devices.first?.tags == [:])
    }

    @Test("tags that an older version stored, without a user, are removed with whoever leaves")
    func olderTags() async throws {
        let phone = Phone()
        let push = try phone.launch().push(on: InMemoryStore())
        _ = try await push.perform(.addDevice(token: Phone.token))
        _ = try await push.setTags(["plan": "alice's"])
        try push.unregister("alice")
        try await push.sendPending("alice")
        #expect(phone.idpush.devices.first?.tags == [:])
        // Told once more, as after a process that ended in between.
        _ = try await push.setTags(["of": "nobody"])
        try push.unregister("alice")
        try await push.sendPending("alice")
        #expect(phone.idpush.devices.first?.tags == ["of": "nobody"])
    }

    @available(*, deprecated, message: "deprecated, as the names that it tries")
    @Test("a member that implements the former names is notified; one with neither fails")
    func formerNames() async throws {
        struct Former: PushMember {
            let memberName = "Former"
            let calls = Recorder<String>()
            let settled = Recorder<String>()
            func leave(_ user: String) { calls.record("leave \(user)") }
            func join(_ user: String) { calls.record("join \(user)") }
            func settle(_ user: String) async { settled.record(user) }
        }
        struct Bare: PushMember { let memberName = "Bare" }
        let former = Former()
        let identity = PushIdentity(store: InMemoryStore(), members: [former])
        try await identity.login("alice").value
        try await identity.logout().value
        #expect(former.calls.values == ["join alice", "leave alice"] && former.settled.values.first == "alice")
        let error = #expect(throws: NetworkError.self) { try Bare().register("alice") }
        #expect(error?.message.contains("Bare does not implement 'register(_:)'") == true)
    }
}

extension AppProcess {
    /// Another app's service, with its own store.
    fileprivate func push(on store: some KeyValueStore) throws -> IDPush {
        try IDPush(push.configuration, store: store, client: client)
    }
}

import IDPushService
import PushDoubles
import PushRegistration
import PushServersMock
import TestSupport

@Suite("Faults of IDPush", .timeLimit(.minutes(10)), .paced)
struct FaultTests {
    // MARK: - Opt-outs

    @Test("an opt-out before the registration is kept, and the registration sends it")
    func optOutBeforeRegistration() async throws {
        let rig = Rig()
        let push = try rig.service()
        #expect(await Rig.failure { _ = try await push.unsubscribe() } == .missingPlayerID)
        #expect(push.isOptedOut && !push.hasPending)
        _ = try await rig.service().perform(.addDevice(token: Rig.token))
        #expect(rig.server.devices.first?.notificationTypes == -2)
    }

    @Test("a gateway's 404 page decides nothing about the device", arguments: [404, 410, 400, 422])
    func gateway(status: Int) async throws {
        let (rig, push) = try await Rig.registered()
        rig.mock.on(.post, "/**", times: 2, .text("<html>no such page</html>", status: status))
        let error = await Rig.failure { _ = try await push.unsubscribe() }
        #expect(error?.code == .network)
        #expect(push.playerID == Rig.firstID)
        // No registration is given up for it either.
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.other)) }?.code == .network)
        try await push.flush()
        #expect(rig.server.devices.allSatisfy { $0.notificationTypes == -2 })
        #expect(rig.server.devices.map(\.identifier).contains(Rig.other))
    }

    @Test("content that fails behind a success is a failure of the wire, behind a refusal the refusal")
    func brokenContent() async throws {
        for (status, code) in [(200, IDPushError.Code.network), (401, .unauthorized), (404, .network)] {
            let (rig, push) = try await Rig.registered()
            rig.mock.on(.post, "/**", times: 2, .text(#"{"sta"#, status: status).thenFailing(.connectionLost))
            let error = await Rig.failure { _ = try await push.unsubscribe() }
            #expect(error?.code == code && error?.status == status, "\(status)")
            #expect(push.playerID == Rig.firstID)
        }
    }

    @Test("a store that cannot keep a change is an error, and nothing is sent")
    func brokenStore() async throws {
        let rig = Rig(store: MortalStore(InMemoryStore(), Life(steps: 0)))
        let push = try rig.service()
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: "aa")) }?.code == .storageFailed)
        #expect(rig.mock.requests.isEmpty)
    }

    static let damage: [@Sendable (String) -> String?] = [
        { _ in nil }, { _ in "" }, { String($0.prefix(40)) }, { _ in "null" }, { _ in "[1]" }, { _ in "{" },
        { _ in #"{"seed":1}"# },
        { _ in #"{"isSubscribed":"?","playerID":5,"tags":[],"revisions":7}"# },
        { $0.replacingOccurrences(of: #""isSubscribed":false,"#, with: "") },
        { $0.replacingOccurrences(of: #""seed":"#, with: #""newer":{"a":1},"sead":"#) },
    ]

    @Test("an opt-out stands whatever happened to the record", arguments: damage)
    func damagedRecord(_ change: @Sendable (String) -> String?) async throws {
        let store = InMemoryStore()
        let rig = Rig(store: store)
        let push = try await rig.registered()
        _ = try await push.unsubscribe()
        let key = "IDPush_Registration.v1.p1"
        store.set(change(store.string(for: key) ?? ""), for: key)
        let restarted = try rig.service()
        #expect(restarted.isOptedOut)
        _ = try await restarted.perform(.addDevice(token: Rig.token))
        try await restarted.flush()
        #expect(rig.server.devices.allSatisfy { $0.notificationTypes == -2 })
        _ = try await restarted.subscribe()
        #expect(!(try rig.service().isOptedOut))
        #expect(rig.server.devices.last?.notificationTypes == 1)
    }

    @Test("members of a newer version stay in the record")
    func newerVersion() async throws {
        let store = InMemoryStore(["IDPush_Registration.v1.p1": #"{"newer":{"a":1},"isSubscribed":false,"seed":"s"}"#])
        let rig = Rig(store: store)
        #expect(try rig.service().isOptedOut)
        _ = try await rig.registered()
        #expect(rig.server.devices.first?.notificationTypes == -2)
        #expect(store.contents["IDPush_Registration.v1.p1"]?.contains(#""newer":{"a":1}"#) == true)
    }

    @Test("an unreadable store is not an empty one: an error, an opt-out for the app, and nothing is written")
    func unavailable() async throws {
        let rig = Rig(store: UserDefaultsStore(suiteName: "idpush-\(UUID().uuidString)", isAvailable: { false }))
        let push = try rig.service()
        #expect(push.isOptedOut)
        let state = #expect(throws: IDPushError.self) { try push.state() }
        #expect(state?.code == .storageFailed)
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) }?.code == .storageFailed)
        #expect(rig.mock.requests.isEmpty)
    }

    @Test("withdrawn consent tells the server, opt-outs pass without consent, and consent restores the choice")
    func withdrawnConsent() async throws {
        var rig = Rig()
        rig.requiresConsent = true
        let push = try rig.service()
        try await push.giveConsent().value
        _ = try await push.perform(.addDevice(token: Rig.token))
        rig.server.fail(.reset)
        _ = try? await push.refuseConsent().value
        #expect(push.isOptedOut && push.hasPending)
        let restarted = try rig.service()
        _ = try await restarted.unsubscribe()
        #expect(rig.server.devices.first?.notificationTypes == -2)
        _ = try? await restarted.subscribe()
        #expect(rig.server.devices.first?.notificationTypes == -2)
        try await rig.service().giveConsent().value
        #expect(try rig.service().isOptedOut)
        _ = try await restarted.subscribe()
        #expect(rig.server.devices.first?.notificationTypes == 1)
    }

    @Test("a choice that the server refuses for ever does not block tags")
    func refusedChoice() async throws {
        let (rig, push) = try await Rig.registered()
        rig.server.fail(.reset)
        _ = try? await push.unsubscribe()
        rig.server.fail(.reset)
        _ = try? await push.setTags(["a": 1])
        rig.server.fail(.rejected("no"))
        #expect(await Rig.failure { try await push.flush() }?.code == .rejected)
        #expect(rig.server.devices.first?.tags == ["a": "1"])
        #expect(push.hasPending && push.isOptedOut)
    }

    @Test("a pending opt-out goes before the next request, and does not block it if refused")
    func optOutFirst() async throws {
        let (rig, push) = try await Rig.registered()
        rig.server.fail(.reset)
        _ = try? await push.unsubscribe()
        _ = try await push.setTags(["a": 1])
        #expect(rig.server.exchanges.suffix(2).map { $0.form["notification_types"] } == ["-2", nil])
        rig.server.fail(.reset)
        _ = try? await rig.service().subscribe()
        rig.server.fail(.reset, .rejected("no"))
        _ = try? await push.unsubscribe()
        _ = try await push.setTags(["a": 2])
        #expect(rig.server.devices.first?.tags == ["a": "2"])
        #expect(push.isOptedOut && push.hasPending)
    }

    // MARK: - Sharing

    @Test("two instances with one store see each other's changes, and wait for one another")
    func instances() async throws {
        let rig = Rig()
        let first = try rig.service()
        let second = try rig.service()
        #expect(second.playerID == nil)
        _ = try await first.perform(.addDevice(token: Rig.token))
        #expect(second.playerID == Rig.firstID)
        rig.gate.close()
        let opened: Observer<IDPushReply> = first.unsubscribe()
        _ = try await rig.mock.waitForRequests(2)
        let closed: Observer<IDPushReply> = second.subscribe()
        #expect(!first.isOptedOut)
        rig.gate.open()
        _ = try await (opened.value, closed.value)
        #expect(rig.server.exchanges.map { $0.form["notification_types"] } == ["1", "-2", "1"])
    }

    @Test("a backup restored on another phone does not take the first one's player id, and keeps the opt-out")
    func clone() async throws {
        let store = InMemoryStore()
        var rig = Rig(store: store)
        rig.device.mark = "phone-1"
        let push = try await rig.registered()
        _ = try await push.setTags(["a": 1])
        _ = try await push.unsubscribe()
        var other = Rig(store: InMemoryStore(store.contents))
        other.device.mark = "phone-2"
        let restored = try other.service()
        #expect(restored.playerID == nil)
        #expect(restored.isOptedOut)
        #expect(await Rig.failure { _ = try await restored.setTags(["b": 1]) } == .missingPlayerID)
        _ = try await restored.perform(.addDevice(token: Rig.other))
        #expect(other.server.devices.map(\.notificationTypes) == [-2])
        #expect(other.server.devices.map(\.tags) == [["a": "1"]])
    }

    // MARK: - Wire

    @Test("the same change of another app version is another request to the server")
    func keyNamesContent() async throws {
        var rig = Rig()
        rig.server.fail(.lostResponse)
        _ = try? await rig.service().perform(.addDevice(token: Rig.token))
        rig.device.appVersion = "1.5"
        _ = try await rig.service().flush() as Void
        #expect(rig.server.devices.first?.parameters["game_version"] == "1.5")
        #expect(Set(rig.mock.requests.compactMap { $0.headers["Idempotency-Key"] }).count == 2)
    }

    @Test("a redirect is not followed: it would take the token elsewhere", arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        server.on(.post, "/device/add", .status(status, headers: ["Location": other.url("/device/add").absoluteString]))
        let push = try IDPush(
            IDPushConfiguration(projectID: "p", baseURL: server.url, device: Rig.device),
            store: InMemoryStore()
        )
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) }?.status == status)
        #expect(other.requests.isEmpty)
    }

    @Test("a server that does not respond ends the call at its deadline, and the change stays")
    func deadline() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/device/add", LoopbackResponse.ok.fault(.stall(.beforeStatus)))
        var configuration = IDPushConfiguration(projectID: "p", baseURL: server.url, device: Rig.device)
        configuration.deadline = .milliseconds(50)
        let push = try IDPush(configuration, store: InMemoryStore())
        let error = await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) }
        #expect(error?.network?.code == .timedOut || error?.network?.code == .deadlineExceeded)
        #expect(push.hasPending)
    }

    // MARK: - Observers, tags, mock

    @Test("an observer ends once: a cancel after its end is silent")
    func endsOnce() async throws {
        let observer: Observer<IDPushReply> = try Rig().service().perform(.addDevice(token: Rig.token))
        let events = await ObserverRecorder.events(afterEndOf: observer)
        #expect(events == ["\(try await observer.value)", "defer"])
    }

    @Test("removing all tags covers those whose request got no response")
    func removeAllTags() async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.setTags(["a": 1])
        rig.server.fail(.lostResponse)
        _ = try? await push.setTags(["b": 2])
        #expect(rig.server.devices.first?.tags == ["a": "1", "b": "2"])
        _ = try await push.removeAllTags()
        #expect(rig.server.devices.first?.tags == [:])
        #expect(push.tags.isEmpty && !push.hasPending)
    }

    @Test("nested values are tags and parameters as JSON")
    func nested() async throws {
        let (rig, push) = try await Rig.registered()
        rig.mock.on(.post, "/**", .json(#"{"status":1}"#))
        _ = try await push.setTags(["a": ["b": [1, true]], "c": 2])
        #expect(
            rig.mock.requests.last?.text.contains("tags=%7B%22a%22%3A%7B%22b%22%3A%5B1%2Ctrue%5D%7D%2C%22c%22%3A2%7D")
                == true
        )
        #expect(try rig.service().tags == ["a": ["b": [1, true]], "c": 2])
    }

    @Test("the mock gives each device its own id, even after it forgot one")
    func mockIDs() async throws {
        let rig = Rig()
        for token in ["aa", "bb"] { _ = try await rig.service(project: "p1").perform(.addDevice(token: token)) }
        rig.server.forget(Rig.firstID)
        _ = try await rig.service().perform(.addDevice(token: "cc"))
        #expect(Set(rig.server.devices.map(\.identifier)) == ["bb", "cc"])
    }
}

import CoreNetKitOutbox
import FileModel
import IDPushService
import KorePushService
import PushServersMock
import TestSupport

/// Change, outbox, confirmation: `flush` is never called here.
@Suite("Registrations on the outbox", .timeLimit(.minutes(10)), .paced)
struct PushOutboxTests {
    /// A registered device whose user then made choices without a network.
    private func phone(hasOutbox: Bool) async throws -> Phone {
        let phone = Phone()
        let app = try phone.launch(hasOutbox: hasOutbox)
        _ = try await app.push.perform(.addDevice(token: Phone.token))
        try await app.identity.login("alice").value
        phone.set(online: false)
        _ = try? await app.push.setTags(["plan": "free"])
        _ = try? await app.push.unsubscribe()
        _ = try? await app.identity.logout().value
        #expect(app.push.isOptedOut && app.push.hasPending)
        phone.set(online: true)
        return phone
    }

    private func check(_ phone: Phone, _ app: AppProcess, _ place: String = "") async throws {
        #expect(phone.idpush.devices.map(\.notificationTypes) == [-2], "\(place)")
        #expect(phone.carriedOut.first == "-", "\(place): the opt-out goes first")
        #expect(phone.carriedOut.count == 2, "\(place): \(phone.carriedOut)")
        #expect(phone.kore.devices(of: "alice").isEmpty, "\(place)")
        #expect(!app.push.hasPending, "\(place)")
        #expect(try app.identity.state().pendingSignOuts.isEmpty, "\(place)")
        let state = await app.outbox.state
        #expect(state.waiting == 0 && state.deadLetters.isEmpty && state.reports.isEmpty, "\(place): \(state)")
        let count = phone.requestCount
        await app.deliver()
        #expect(phone.requestCount == count, "\(place): nothing is sent twice")
    }

    @Test("what could not be sent is sent by the outbox alone, after a restart, the opt-out first")
    func restart() async throws {
        let phone = try await phone(hasOutbox: true)
        let app = try phone.launch()
        await app.deliver()
        try await check(phone, app)
    }

    @Test("a pending change of an earlier version without an outbox becomes one entry, and is sent once")
    func migration() async throws {
        let phone = try await phone(hasOutbox: false)
        phone.set(online: false)
        for _ in 1...2 {
            let offline = try phone.launch()
            await offline.deliver()
            // One for IDPush and one for the user who left, the same at each launch.
            let names = await offline.outbox.state.queues.map(\.name)
            #expect(Set(names).isSuperset(of: ["IDPush_Registration.v1.p1", "PushIdentity.v1"]))
            #expect(await offline.outbox.state.waiting == Set(names).count)
        }
        phone.set(online: true)
        let app = try phone.launch()
        await app.deliver()
        try await check(phone, app)
    }

    @Test(
        "the same if the process is killed: by any store write or request, after any response, within any call of the files",
        arguments: [false, true]
    )
    func migrationKilled(isInFiles: Bool) async throws {
        var point = isInFiles ? 1 : 0
        while true {
            let phone = try await phone(hasOutbox: false)
            let killed = try isInFiles ? phone.launch(atFileCall: point) : phone.launch(killedAfter: point)
            await killed.deliver()
            if !killed.isOver { break }
            let app = try phone.launch()
            await app.deliver()
            try await check(phone, app, "killed at \(point)")
            point += 1
        }
        #expect(point > 10)
    }

    @Test("an opt-out is never lost if the process is killed: stored or refused, at any step and call")
    func optOutKilled() async throws {
        for kind in [0, 1] {
            var point = kind
            while true {
                let phone = Phone()
                let first = try phone.launch()
                _ = try await first.push.perform(.addDevice(token: Phone.token))
                let killed = try kind == 0 ? phone.launch(killedAfter: point) : phone.launch(atFileCall: point)
                _ = try? await killed.push.unsubscribe()
                let isOver = killed.isOver
                let app = try phone.launch()
                let isTaken = app.push.isOptedOut
                // The opt-out has a key of its own, written before the record.
                if kind == 1 || point > 1 { #expect(isTaken, "\(kind) \(point)") }
                await app.deliver()
                #expect(phone.idpush.devices.map(\.notificationTypes) == [isTaken ? -2 : 1], "\(kind) \(point)")
                #expect(phone.carriedOut == (isTaken ? ["-"] : []), "\(kind) \(point)")
                if !isOver { break }
                point += 1
            }
            #expect(point > 3)
        }
    }

    // MARK: - What servers and gateways say

    @Test(
        "an opt-out gets through whatever happens: it waits, and is sent again",
        arguments: [
            .status(500), .status(503), .status(404), .rateLimited(seconds: 3600), .html, .errorObject, .reset,
            .lostResponse,
        ] as [IDPushServer.Fault]
    )
    func faults(_ fault: IDPushServer.Fault) async throws {
        let (phone, app) = try await Phone.registered()
        phone.idpush.fail(fault)
        // The caller gets the result of its own attempt.
        await #expect(throws: IDPushError.self) { _ = try await app.push.unsubscribe() }
        await app.deliver()
        #expect(phone.idpush.devices.last?.notificationTypes == -2)
        #expect(await app.outbox.state.waiting == 0)
    }

    @Test("an opt-out refused by the server itself is kept for the app to see, and sent again at the next launch")
    func refused() async throws {
        let phone = Phone()
        let app = try phone.launch()
        await app.deliver()
        _ = try await app.push.perform(.addDevice(token: Phone.token))
        phone.idpush.fail(.rejected("no"))
        _ = try? await app.push.unsubscribe()
        await app.deliver()
        #expect(await app.outbox.deadLetters.all.count == 1)
        #expect(phone.idpush.devices.map(\.notificationTypes) == [1])
        let next = try phone.launch()
        await next.deliver()
        #expect(phone.idpush.devices.map(\.notificationTypes) == [-2])
        #expect(await next.outbox.deadLetters.all.isEmpty)
    }

    @Test("a 404 page is not an unsubscription from Kore: it is sent until the server itself says so")
    func koreGateway() async throws {
        let phone = Phone()
        let app = try phone.launch()
        try await app.identity.login("alice").value
        phone.kore.fail(.status(404), .status(500))
        _ = try? await app.identity.logout().value
        await app.deliver()
        #expect(phone.kore.devices(of: "alice").isEmpty)
        #expect(try app.identity.state().pendingSignOuts.isEmpty)
        #expect(await app.outbox.state.waiting == 0)
    }

    // MARK: - Consent, users

    @Test("withdrawn consent without a network is sent to the server by the outbox")
    func withdrawnConsent() async throws {
        let phone = Phone()
        let app = try phone.launch(requiresConsent: true)
        try await app.push.giveConsent().value
        _ = try await app.push.perform(.addDevice(token: Phone.token))
        phone.set(online: false)
        _ = try? await app.push.refuseConsent().value
        phone.set(online: true)
        let next = try phone.launch(requiresConsent: true)
        await next.deliver()
        #expect(phone.idpush.devices.map(\.notificationTypes) == [-2])
    }

    @Test("what waits for consent is no entry, and becomes one with it")
    func consent() async throws {
        let phone = Phone()
        let app = try phone.launch(requiresConsent: true)
        _ = try? await app.push.perform(.addDevice(token: Phone.token))
        await app.deliver()
        #expect(await app.outbox.state.waiting == 0 && phone.requestCount == 0)
        phone.set(online: false)
        _ = try? await app.push.giveConsent().value
        phone.set(online: true)
        let next = try phone.launch(requiresConsent: true)
        await next.deliver()
        #expect(phone.idpush.devices.count == 1)
    }

    @Test("a user switch without a network is carried out by the outbox, with nothing of the leaving user sent")
    func userSwitch() async throws {
        let (phone, app) = try await Phone.registered()
        try await app.identity.login("alice").value
        phone.set(online: false)
        _ = try? await app.push.setTags(["plan": "alice's"])
        _ = try? await app.identity.login("bob").value
        phone.set(online: true)
        let next = try phone.launch()
        await next.deliver()
        #expect(phone.kore.devices(of: "alice").isEmpty)
        let state = try next.identity.state()
        #expect(state.user == "bob" && state.pendingSignOuts.isEmpty)
        try await next.identity.flush().value
        #expect(!phone.kore.devices(of: "bob").isEmpty)
        #expect(!phone.carriedOut.contains { $0.contains("alice's") })
    }

    // MARK: - The outbox itself

    @Test("a lost, damaged or unwritable outbox loses no change", arguments: 0...2)
    func brokenOutbox(_ kind: Int) async throws {
        let phone = try await phone(hasOutbox: true)
        switch kind {
        case 0: phone.files = ModelFiles()
        case 1:
            for name in try phone.files.list("/box") where name.hasSuffix(".log") {
                phone.files.change("/box/" + name) { bytes in bytes = bytes.map { ~$0 } }
            }
        default:
            let broken = try phone.launch()
            broken.files.fail { operation, _ in operation == .write ? 28 : nil }
            _ = try? await broken.push.subscribe()
            _ = try await broken.push.unsubscribe()
            #expect(phone.idpush.devices.map(\.notificationTypes) == [-2])
        }
        let app = try phone.launch()
        await app.deliver()
        #expect(phone.idpush.devices.map(\.notificationTypes) == [-2])
        #expect(phone.kore.devices(of: "alice").isEmpty)
        #expect(!app.push.hasPending)
    }

    @Test("neither tokens nor tags are in its files: they are only in the store")
    func canary() async throws {
        let phone = try await phone(hasOutbox: true)
        var text = ""
        for name in try phone.files.list("/box") {
            text += String(decoding: phone.files.bytes(of: "/box/" + name) ?? [], as: UTF8.self)
        }
        #expect(text.contains("IDPush_Registration.v1.p1"))
        for secret in [Phone.token, "plan", "free", "t-alice"] { #expect(!text.contains(secret)) }
    }

    @Test("if another process delivers, a call sends its own change, and the other one finds nothing left to do")
    func processes() async throws {
        let (phone, app) = try await Phone.registered()
        await app.deliver()
        // On the same files: no process is killed.
        let files = app.files
        let other = Outbox(files: files, folder: "/box", clock: ContinuousClock())
        let push = try IDPush(app.push.configuration, store: phone.store, client: app.client, outbox: other)
        _ = try await push.unsubscribe()
        #expect(phone.carriedOut == ["-"])
        await app.deliver()
        #expect(phone.carriedOut == ["-"])
        #expect(await app.outbox.state.waiting == 0)
    }

    @Test("calls while the outbox delivers are one request for each change")
    func beside() async throws {
        let phone = Phone()
        let app = try phone.launch()
        let delivery = Task { try await app.outbox.run(with: app.client) }
        _ = try await app.push.perform(.addDevice(token: Phone.token))
        for step in 0..<5 {
            _ = try await app.push.unsubscribe()
            _ = try await app.push.subscribe()
            _ = try await app.push.setTags(["step": .int(step)])
        }
        delivery.cancel()
        _ = await delivery.result
        #expect(phone.requestCount == 16)
        #expect(await app.outbox.state.waiting == 0)
    }

    @Test("an outbox whose services are released is released too, and its folder free, whatever is left to send")
    func released() async throws {
        let phone = try await phone(hasOutbox: true)
        weak var released: Outbox?
        do {
            let app = try phone.launch()
            released = app.outbox
            #expect(app.push.hasPending)
        }
        #expect(released == nil)
    }

    @Test("a service that is released while the outbox sends its change leaves no entry")
    func releasedMeanwhile() async throws {
        let (phone, clock, mock) = (try await phone(hasOutbox: false), SkippingClock(), MockTransport())
        let push = Locked<IDPush?>(nil)
        mock.on(nil, "/**") { request in
            push.withLock { $0 = nil }
            return phone.idpush.reply(to: request)
        }
        let outbox = Outbox(files: ModelFiles(), folder: "/box", clock: clock) { clock.date }
        let client = Client(transport: mock)
        try push.withLock { $0 = try pushServices(phone.store, client, outbox).0 }
        #expect(try await outbox.drain(with: client).waiting == 0)
        #expect(push.withLock { $0 == nil } && phone.carriedOut.count == 2)
    }
}

import AlarmService
import CoreNetKit
import CoreNetKitCache
import CoreNetKitMock
import CoreNetKitOutbox
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import IDPushService
import KorePushService
import PushServersMock

extension Journey {
    /// Everything that an app creates at launch; releasing it stands for the end of the process.
    private struct App {
        let outbox: Outbox
        let client: Client
        let push: IDPush
        let identity: PushIdentity
        let list: AlarmList<DeeplinkType>
    }

    private func launchApp(_ folder: URL, _ client: Client, _ cache: ResponseCache) async throws -> App {
        let outbox = try await openOutbox(folder)
        let client = client.cache(cache).outbox(outbox)
        let device = try KoreDeviceToken(data: token)
        let server = world.base
        let member = KoreMember(token: { device }) { [secrets] user in
            let accessToken = user == World.user ? "fresh-token" : "other-token"
            return try KorePush(
                session: KoreSession(userID: user, accessToken: accessToken),
                configuration: KoreConfiguration(server: server, retry: nil),
                store: secrets,
                client: client,
                outbox: outbox
            )
        }
        let push = try launchIDPush(client: client, outbox: outbox)
        let parser = DeeplinkType.parser(hosts: ["example.com"])
        let alarms = AlarmClient(
            base: server.appending(path: "api/v1"),
            builder: UrlChainsBuilder(client: client)
        )
        return App(
            outbox: outbox,
            client: client,
            push: push,
            identity: PushIdentity(store: store, members: [push, member], outbox: outbox),
            list: AlarmList(client: alarms, pageSize: 2, outbox: outbox) { try parser.parse(.text($0)) }
        )
    }

    /// The folder is free once everything of the earlier process is released.
    private func openOutbox(_ folder: URL) async throws -> Outbox {
        var options = Outbox.Options()
        options.concurrency = 1
        let step = world.step.value
        var tries = 0
        while tries < 1_000_000 {
            if let outbox = try? Outbox(at: folder, options: options) { return outbox }
            tries += 1
            await Task.yield()
        }
        throw Mismatch(step: step, message: "the folder of the outbox is not free")
    }

    /// What an earlier process has shown.
    private func lastPage(_ folder: URL, _ cache: ResponseCache) async throws -> [Int] {
        let app = try await launchApp(folder, world.client, cache)
        let page: AlarmSnapshot = try await app.list.refresh()
        return page.alarms.map(\.sequence)
    }

    /// Steps 20 and 21: everything goes wrong at once, and the outbox alone recovers.
    func crash() async throws {
        guard world.isEmbedded else { return }
        let folder = URL(filePath: NSTemporaryDirectory() + "/journey-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = ResponseCache()
        var shown: [Int] = []
        try await step(20, "opt out, tap and switch offline") {
            shown = try await lastPage(folder, cache)
            let offline = Client(transport: FailingTransport(.cannotConnect)).without(.retry)
            let app = try await launchApp(folder, offline, cache)
            let reload: Observer<AlarmSnapshot> = app.list.refresh()
            let error = try await fails({ try await reload.value }) { (_: AlarmError) in true }
            let stored: [Int] = app.list.snapshot.alarms.map(\.sequence)
            try same(stored, shown, "the last page, from the cache")
            let optOut: Observer<IDPushReply> = app.push.unsubscribe()
            _ = try await fails({ try await optOut.value }) { (_: IDPushError) in true }
            let tap: Observer<AlarmActionResult> = app.list.markRead(shown[0])
            for await state in app.outbox.changes where state.waiting >= 2 { break }
            _ = try? await app.identity.login(World.user).value
            try same(try app.identity.state().pendingSignOuts, [World.otherUser], "pending sign-outs")
            withExtendedLifetime(tap) {}
            let waiting = await app.outbox.state.waiting
            return "\(error.code), \(shown.count) alarms from the cache, \(waiting) entries wait; the process is killed"
        }
        try await step(21, "restart: the outbox alone") {
            let app = try await launchApp(folder, world.client, cache)
            let state = try await app.outbox.drain(until: Date(timeIntervalSinceNow: timeout), with: app.client)
            try same(state.waiting, 0, "waiting")
            let forms: [[String: String]] = sent.map(\.form)
            try same(forms.first?["notification_types"], "-2", "the opt-out goes first")
            let taps: [String] = forms.compactMap { $0["action"] == "read" ? $0["seq"] : nil }
            let expected: [String] = [String(shown[0])]
            try same(taps, expected, "the tap")
            try same(world.kore.devices(of: World.otherUser).isEmpty, true, "who left is unsubscribed")
            try same(world.idpush.devices.first?.isSubscribed, false, "opted out at the server")
            try await app.identity.flush().value
            try same(world.kore.devices(of: World.user).count, 1, "who came is subscribed")
            return "\(sent.count) requests, the opt-out first, each once"
        }
    }
}

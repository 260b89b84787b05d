import CoreNetKit
import CoreNetKitOutbox
import Foundation
import IDPushService
import PushServersMock

extension Journey {
    /// The device as the app describes it.
    private var device: DeviceInfo { DeviceInfo(model: "iPhone15,2", systemVersion: "17.5", appVersion: "1.4") }

    /// The service as an app creates it at launch; with the same store it remembers.
    func launchIDPush(
        _ project: String = World.project,
        client: Client? = nil,
        outbox: Outbox? = nil
    ) throws -> IDPush {
        try IDPush(
            IDPushConfiguration(
                projectID: project,
                environment: .development,
                baseURL: world.base.appending(path: "api/v1/"),
                device: device
            ),
            store: store,
            client: client ?? world.client,
            outbox: outbox
        )
    }

    /// Steps 0 to 7: register, tag, opt out and in.
    func registration() async throws {
        try await step(0, "blank project id") {
            let error = try await fails({ try launchIDPush(" \n") }) { (error: IDPushError) in
                error == .missingProjectID
            }
            return "refused: \(error)"
        }
        let push = try launchIDPush("  \(World.project)  ")
        try step(1, "configure") {
            try same(push.playerID, nil, "player id")
            return "no player id yet"
        }
        try await step(2, "subscribe before registering") {
            let events = await events(of: push.subscribe())
            try same(events, ["error missingPlayerID", "defer"], "events")
            try same(sent.count, 0, "requests")
            return events.joined(separator: ", ")
        }
        try await step(3, "register the device") {
            if world.isEmbedded { world.idpush.fail(.status(500)) }
            let events = await events(of: push.addDevice(token: token))
            try same(events, ["completed", "defer"], "events")
            try same(
                sent.map(\.line),
                Array(repeating: "POST /api/v1/device/add", count: world.isEmbedded ? 2 : 1),
                "wire"
            )
            try same(Set(sent.map(\.body)).count, 1, "different bodies")
            try same(sent.last?.form["identifier"], "a1b2c3d4e5f60718", "identifier")
            return "\(sent.count) requests, player \(push.playerID ?? "-")"
        }
        try await step(4, "register the same token again") {
            _ = try await push.addDevice(token: token)
            try same(sent.count, 0, "requests")
            return "nothing to send"
        }
        try await step(5, "set tags") {
            _ = try await push.setTags(["lang": "fa", "vip": true, "old": .remove])
            let form = try last().form
            try same(form["notification_types"], nil, "notification_types")
            return "tags \(form["tags"] ?? "-")"
        }
        try await step(6, "unsubscribe, then tag") {
            _ = try await push.unsubscribe()
            _ = try await push.setTags(["level": 5])
            try same(sent.map { $0.form["notification_types"] }, ["-2", nil], "notification_types")
            try same(try launchIDPush().isOptedOut, true, "opted out after a restart")
            return "opted out, also after a restart"
        }
        try await step(7, "subscribe") {
            _ = try await push.subscribe()
            try same(try last().form["notification_types"], "1", "notification_types")
            try same(push.isOptedOut, false, "opted out")
            return "notification_types=\(try last().form["notification_types"] ?? "-")"
        }
    }

    /// The last request of this step.
    func last() throws -> Recorded {
        guard let last = sent.last else { throw Mismatch(step: world.step.value, message: "nothing was sent") }
        return last
    }

    /// What an observer reports to its listeners, in order, up to its last event.
    func events<Model>(of observer: Observer<Model>) async -> [String] {
        let events = Shared<[String]>([])
        await withCheckedContinuation { continuation in
            observer
                .onCompleted { _ in events.change { $0.append("completed") } }
                .onError { error in events.change { $0.append("error \(Self.name(of: error))") } }
                .onCanceled { events.change { $0.append("cancelled") } }
                .defer {
                    // A response may be followed by a cancellation; only the first end counts.
                    let isFirst = events.change { events in
                        defer { events.append("defer") }
                        return !events.contains("defer")
                    }
                    if isFirst { continuation.resume() }
                }
        }
        return events.value
    }

    private nonisolated static func name(of error: any Error) -> String {
        error as? IDPushError == .missingPlayerID ? "missingPlayerID" : "\(error)"
    }
}

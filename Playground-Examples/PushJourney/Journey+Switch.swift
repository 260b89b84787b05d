import CoreNetKit
import CoreNetKitMock
import Foundation
import IDPushService
import KorePushService
import PushServersMock

extension Journey {
    /// Both services for whoever signs in, as an app creates them at launch.
    private func launchIdentity(_ client: Client) throws -> PushIdentity {
        let device = try KoreDeviceToken(data: token)
        let server = world.base
        let member = KoreMember(token: { device }) { [secrets] user in
            try KorePush(
                session: KoreSession(
                    userID: user,
                    accessToken: user == World.user ? "fresh-token" : "other-token"
                ),
                configuration: KoreConfiguration(server: server),
                store: secrets,
                client: client
            )
        }
        return PushIdentity(store: store, members: [try launchIDPush(client: client), member])
    }

    /// Step 19: another user signs in while there is no network, and the process ends.
    func userSwitch() async throws {
        guard world.isEmbedded else { return }
        try await step(19, "switch users offline, crash, restart") {
            try await launchIdentity(world.client).login(World.user).value
            let before = sent.count
            let offline = Client(transport: FailingTransport(.cannotConnect)).without(.retry)
            // The wishes are stored when `login` returns; nobody waits for the results of the requests any more.
            let lost = try launchIdentity(offline)
            lost.login(World.otherUser).cancel()
            let restarted = try launchIdentity(world.client)
            try same(try restarted.state().pendingSignOuts, [World.user], "pending sign-outs")
            try await restarted.flush().value
            let lines = sent.dropFirst(before).filter { $0.line.contains("/users/") }.map(\.line)
            try same(
                lines,
                ["DELETE /api/users/u-1/unsubscribe", "POST /api/users/u-2/subscribe"],
                "wire after the restart"
            )
            try same(world.kore.devices(of: World.user).isEmpty, true, "the first user is gone")
            try same(try restarted.state().pendingSignOuts, [], "anything to undo")
            return "the first user unsubscribed, then the other subscribed"
        }
    }
}

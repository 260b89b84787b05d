import CoreNetKit
import Foundation
import IDPushService
import PushServersMock

extension Journey {
    /// Steps 17 and 18: leave, even without a network.
    func goodbye() async throws {
        try await koreGoodbye()
        guard world.isEmbedded else { return }
        try await step(18, "unsubscribe offline, restart") {
            let push = try launchIDPush()
            world.goOffline()
            let error = try await fails({ try await push.unsubscribe() }) { (_: IDPushError) in true }
            try same(sent.count, 0, "requests while offline")
            try world.goOnline()
            let restarted = try launchIDPush()
            try await restarted.flush()
            try same(sent.map { $0.form["notification_types"] }, ["-2"], "wire after the restart")
            try same(restarted.hasPending, false, "anything pending")
            return "kept while offline (\(error.shortName)), sent once after the restart"
        }
    }
}

extension IDPushError {
    /// The case without its details.
    fileprivate var shortName: String { String("\(self)".prefix { $0.isLetter }) }
}

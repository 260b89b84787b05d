import CoreNetKit
import DeepLinks
import DeepLinksDocumentNames
import Foundation

extension Journey {
    /// Steps 9 to 11: a tapped notification waits until the app can show it.
    func deepLinks() throws {
        try step(9, "push tapped, app not ready") {
            let payload: [AnyHashable: Any] = [
                "aps": ["alert": ["title": "New Message!", "body": "Hello!"], "category": "pusher"],
                "data": ["messageId": "1"],
            ]
            let received = links.receive(
                .notification(NotificationPayload(userInfo: payload, id: "n-1", isTapped: true))
            )
            try same(received, true, "received")
            guard case .pending = links.state else { throw Mismatch(step: 9, message: "state is \(links.state)") }
            return "kept"
        }
        try step(10, "link of another host") {
            let evil = URL(string: "https://evil.test/messages/1").map {
                links.receive(.url($0, kind: .universalLink))
            }
            try same(evil, false, "received")
            guard case .pending = links.state else { throw Mismatch(step: 10, message: "the pending link is gone") }
            return "refused, the kept link is still there"
        }
        try step(11, "app ready, twice") {
            var delivered: [DeeplinkType] = []
            for _ in 0..<2 {
                links.setReady(true)
                _ = links.deliver { delivered.append($0) }
            }
            try same(delivered, [.messages(.details(id: "1"))], "delivered")
            return "delivered once: \(delivered[0].title)"
        }
    }
}

import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSockets
import Foundation

/// GraphQL subscriptions over a socket, using `graphql-transport-ws`.
@main
struct GraphQLSubscriptions {
    struct Frame: Codable, Sendable { let id: String?, type: String, payload: Json? }

    static func main() async throws {
        let server = try LoopbackServer { _ in .socket(protocols: ["graphql-transport-ws"], play) }
        var options = SocketOptions()
        (options.protocols, options.reconnection) = (["graphql-transport-ws"], .standard)
        let opening: Chain<Void, Socket<Frame, Frame>> = UrlChainsBuilder<String>()
            .route(.get, "ws://127.0.0.1:\(server.port)/graphql")
            .socket(reading: .json, writing: .json, options)
            .resuming { _ in [Frame(id: nil, type: "connection_init", payload: nil)] }
            .reconnecting { $0.code == 4403 ? .renewToken : $0.code.rawValue >= 4400 ? .giveUp : nil }
        let calls = SocketCalls(try await opening.process()) { $0.id }
        for await frame in calls.others where frame.type == "connection_ack" { break }  // Only then it may subscribe.
        let start = Frame(id: "1", type: "subscribe", payload: ["query": "subscription { price }"])
        let end = Frame(id: "1", type: "complete", payload: nil)
        let prices = calls.stream("1", start, leaving: end) { $0.type == "complete" }
        for try await frame in prices where frame.type == "next" {
            print(frame.payload?["data"]?["price"]?.double ?? 0)
        }
        print(await calls.close())
    }

    static let play: @Sendable (SocketPeer) async throws -> Void = { peer in
        _ = try await peer.message()
        peer.send(json: Frame(id: nil, type: "connection_ack", payload: nil))
        while case .text(let text) = try await peer.message() {
            guard text.contains("subscribe") else { continue }
            for price in 1...3 { peer.send(text: #"{"id":"1","type":"next","payload":{"data":{"price":\#(price)}}}"#) }
            peer.send(json: Frame(id: "1", type: "complete", payload: nil))
        }
    }
}

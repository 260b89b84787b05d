import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSockets
import Foundation

/// GraphQL subscriptions over a socket; over each new connection they are asked for again.
@main
struct GraphQLSubscriptions {
    nonisolated struct Frame: Codable, Sendable { let id: String?, type: String, payload: Json? }
    nonisolated static let name = "graphql-transport-ws"

    static func main() async throws {
        let server = try LoopbackServer { request in .socket(protocols: [name]) { try await play($0, request.index) } }
        var options = SocketOptions()
        (options.protocols, options.reconnection) = ([name], .standard)
        let opening: Chain<Void, Socket<Frame, Frame>> = UrlChainsBuilder<String>()
            .route(.get, "ws://127.0.0.1:\(server.port)/graphql").socket(reading: .json, writing: .json, options)
            .greeting { greeting in
                try await greeting.send(Frame(id: nil, type: "connection_init", payload: nil))
                try await greeting.reply { $0.type == "connection_ack" }  // Only then it may subscribe.
            }
            .reconnecting { $0.code == 4403 ? .renewToken : $0.code.rawValue >= 4400 ? .giveUp : nil }
        let calls = SocketCalls(try await opening.call()) { $0.id }
        let start = Frame(id: "1", type: "subscribe", payload: ["query": "subscription { price }"])
        let end = Frame(id: "1", type: "complete", payload: nil)
        let prices = calls.stream("1", start, leaving: end, resumes: true) { $0.type != "next" }
        for try await next in prices { print(next.type, next.payload?["data"]?["price"] ?? "") }
        print(await calls.close())
    }

    nonisolated static func play(_ peer: SocketPeer, _ connection: Int) async throws {
        _ = try await peer.message()
        peer.send(json: Frame(id: nil, type: "connection_ack", payload: nil))
        _ = try await peer.message()
        for price in 1...3 { peer.send(text: #"{"id":"1","type":"next","payload":{"data":{"price":\#(price)}}}"#) }
        guard connection > 0 else { return peer.drop() }
        peer.send(json: Frame(id: "1", type: "complete", payload: nil))
        try await peer.expectClose()
    }
}

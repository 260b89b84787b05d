import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSockets
import Foundation

/// JSON-RPC 2.0 over a socket: calls by id, errors as errors, notifications beside them.
@main
struct JsonRpc {
    nonisolated struct Request: Codable, Sendable { var jsonrpc: String, id: Int, method: String, params: [Int] }
    nonisolated struct Fault: Error, Codable { var code: Int, message: String }
    nonisolated struct Response: Codable, Sendable { var id: Int?, method: String?, result: Int?, error: Fault? }

    static func main() async throws {
        let server = try LoopbackServer { _ in .socket(play) }
        let opening: Chain<Void, Socket<Response, Request>> = UrlChainsBuilder<String>()
            .route(.get, "ws://127.0.0.1:\(server.port)/rpc").socket(reading: .json, writing: .json)
        let calls = SocketCalls(try await opening.call()) { $0.id }
        for (id, method) in ["add", "divide"].enumerated() {
            let request = Request(jsonrpc: "2.0", id: id, method: method, params: [4, 0])
            let response = try await calls.call(id, request, deadline: .seconds(5))
            if let error = response.error { print("\(method): \(error.code), \(error.message)") }
            if let result = response.result { print("\(method): \(result)") }
        }
        for await notification in calls.others.prefix(1) { print("told: \(notification.method ?? "nothing")") }
        await calls.close()
    }

    nonisolated static let play: @Sendable (SocketPeer) async throws -> Void = { peer in
        peer.send(json: Response(id: nil, method: "ready", result: nil, error: nil))
        while case .text(let text) = try await peer.message() {
            let request = try JSONDecoder().decode(Request.self, from: Data(text.utf8))
            let sum = request.params.reduce(0, +)
            let isKnown = request.method == "add"
            let fault = Fault(code: -32601, message: "there is no method \(request.method)")
            peer.send(
                json: Response(id: request.id, method: nil, result: isKnown ? sum : nil, error: isKnown ? nil : fault)
            )
        }
    }
}

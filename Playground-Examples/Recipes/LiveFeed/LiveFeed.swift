import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSockets
import Foundation

/// A market feed that continues where it broke off: each new connection subscribes again from the last price.
@main
struct LiveFeed {
    nonisolated struct Price: Codable, Sendable { var number: Int, value: Double }
    nonisolated struct Subscribe: Codable, Sendable { var name: String, after: Int }

    static func main() async throws {
        let server = try LoopbackServer { _ in .socket(play) }
        let last = Last()
        var options = SocketOptions()
        options.reconnection = .standard
        let prices: Chain<Void, Socket<Price, Subscribe>> = UrlChainsBuilder<String>()
            .route(.get, "ws://127.0.0.1:\(server.port)/prices")
            .socket(reading: .json, writing: .json, options)
            .resuming { _ in [Subscribe(name: "DAX", after: await last.number)] }
        let socket = try await prices.call()
        for try await price in socket {
            await last.set(price.number)
            print("\(price.number): \(price.value), reconnected \(socket.statistics.reconnects) times")
            if price.number == 4 { await socket.close() }
        }
    }

    actor Last {
        private(set) var number = 0
        func set(_ number: Int) { self.number = number }
    }

    nonisolated static let play: @Sendable (SocketPeer) async throws -> Void = { peer in
        guard case .text(let text) = try await peer.message() else { return }
        let start = try JSONDecoder().decode(Subscribe.self, from: Data(text.utf8)).after
        for number in start + 1...start + 2 { peer.send(json: Price(number: number, value: 100 + Double(number))) }
        if start == 0 { peer.drop() } else { try await peer.expectClose() }
    }
}

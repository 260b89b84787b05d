import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitSockets
import Foundation

/// A real server, and clients of it.
struct SocketWire {
    let server: LoopbackServer
    let clock = ManualClock()

    init(_ response: LoopbackResponse) throws { server = try LoopbackServer { _ in response } }

    init(_ handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse) throws {
        server = try LoopbackServer(handler: handler)
    }

    /// Of the scheme `ws`.
    func url(_ path: String = "/socket") -> String {
        server.url(path).absoluteString.replacingOccurrences(of: "http:", with: "ws:")
    }

    /// A client whose time goes by itself, or as the test says.
    func builder(_ client: Client = Client(seed: 1)) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client).route(.get, url())
    }

    func texts(
        _ client: Client = Client(seed: 1),
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) -> Chain<Void, Socket<String, String>> {
        var options = SocketOptions()
        change(&options)
        return builder(client).socket(reading: .text, writing: .text, options)
    }
}

extension LoopbackResponse {
    /// Sends back what comes.
    static let echo: LoopbackResponse = .socket { peer in
        while true {
            switch try await peer.message() {
            case .text(let text): peer.send(text: text)
            case .data(let data): peer.send(data: data)
            default: return
            }
        }
    }
}

extension Data {
    /// Two letters for each byte.
    var hexText: String { String(decoding: flatMap { [97 + $0 >> 4, 97 + $0 & 15] }, as: UTF8.self) }
}

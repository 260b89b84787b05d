import CPlainCurl
import CoreNetKit
import CoreNetKitEssentials
import CoreNetKitSockets
import CoreNetKitWire
import Glibc

// Messages of 125 bytes that one WebSocket sends and receives back, 64 of them in flight.
let echoSize = 125
let echoesAhead = 64

func echoes(_ count: Int, _ url: URL) async throws {
    let builder = UrlChainsBuilder<URL>().route(.get, url)
    let socket = try await builder.rawSocket().process() as Socket<SocketMessage, SocketMessage>
    let message = SocketMessage.data(Data(count: echoSize))
    try await withThrowingDiscardingTaskGroup { group in
        var sent = min(echoesAhead, count)
        for _ in 0..<sent { group.addTask { try await socket.send(message) } }
        var received = 0
        for try await echo in socket {
            guard echo == message else { throw NotDone(what: "an echo of the message") }
            received += 1
            if received == count { break }
            guard sent < count else { continue }
            sent += 1
            group.addTask { try await socket.send(message) }
        }
    }
    await socket.close()
}

/// The server of both: prints its port, and serves until it is terminated.
func serveEchoes() -> Never {
    plain_echo_serve { key, accepted in
        guard let key, let accepted else { return }
        let bytes = UnsafeRawBufferPointer(start: key, count: 24)
        let made = SocketHandshake.accept(String(decoding: bytes, as: UTF8.self))
        _ = made.withCString { strcpy(accepted, $0) }
    }
    exit(1)
}

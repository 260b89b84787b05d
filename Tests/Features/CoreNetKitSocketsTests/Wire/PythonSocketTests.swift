import CoreNetKit
import CoreNetKitSockets
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

#if os(Linux)
    @Suite(
        "Sockets with a server of others",
        .timeLimit(.minutes(10)),
        .enabled(if: PythonPeer.isInstalled, "needs Python with the package websockets"),
        .serialized,
        .paced
    )
    struct PythonSocketTests {
        @Test(
            "carry what they are given, with every kind of compression",
            arguments: [
                nil, .deflate(above: 0), .deflate(windowBits: 15, keepsContext: true, above: 0),
                .deflate(windowBits: 9),
            ]
                as [SocketCompression?]
        )
        func echo(_ compression: SocketCompression?) async throws {
            let peer = try PythonPeer()
            let socket = try await UrlChainsBuilder<String>(client: Client(seed: 1)).route(.get, peer.url)
                .raw { ($0.compression, $0.protocols) = (compression, ["other", "echo"]) }.process()
            #expect(socket.selectedProtocol == "echo")
            var messages = socket.makeAsyncIterator()
            var random = SplitMix64(seed: 3)
            for size in [0, 1, 125, 126, 4000, 65535, 65536, 300_000] {
                let noise = Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
                for message in [SocketMessage.text(String(repeating: "Grüße ", count: size / 7)), .data(noise)] {
                    try await socket.send(message)
                    #expect(try await messages.next() == message)
                }
            }
            #expect(try await socket.ping() < .seconds(10))
            try await socket.send(.text("ping"))
            #expect(try await messages.next() == .text("ping"))
            let close = try await socket.close(.goingAway, "tschüs")
            #expect(close.code == .goingAway && !close.isFromPeer)
        }

        @Test("many at once, and in order")
        func many() async throws {
            let peer = try PythonPeer()
            let socket = try await UrlChainsBuilder<String>(client: Client(seed: 1)).route(.get, peer.url)
                .texts { $0.protocols = ["echo"] }.process()
            let sending = Task { for index in 0..<2000 { try await socket.send("\(index)") } }
            var messages = socket.makeAsyncIterator()
            for index in 0..<2000 { #expect(try await messages.next() == "\(index)") }
            try await sending.value
            try await socket.send("bye")
            let (error, cause) = await failure { _ = try await messages.next() }
            #expect(error?.code == .reportedByServer)
            #expect(cause?.close == SocketClose(4001, "as asked", isFromPeer: true))
        }
    }
#endif

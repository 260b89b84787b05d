import CoreNetKit
import CoreNetKitMock
import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitWire
import Foundation
import TestPace
import Testing

@Suite("Sockets: faults of the other side", .timeLimit(.minutes(10)), .paced)
struct SocketFaultTests {
    /// Texts, and behind them a frame of a kind that does not exist, in one piece.
    private static func faulty(_ texts: String...) -> Data {
        Data(texts.map { SocketFrame(.text, Data($0.utf8)).bytes(mask: nil) }.joined()) + [0x83, 0x00]
    }

    /// A server that makes a fault behind two messages, and expects replies; then it tells the code of the close.
    private func line(replies: [String]) -> (Line, PeerQueue<UInt16>) {
        let codes = PeerQueue<UInt16>()
        let line = Line { peer in
            defer { codes.end() }
            peer.send(bytes: Self.faulty("a", "b"))
            for reply in replies { try await peer.expect(text: reply) }
            codes.add(try await peer.expectClose())
        }
        return (line, codes)
    }

    @Test("are told behind the messages before them, which can be replied to", arguments: [1, 2, 16])
    func replies(inbox: Int) async throws {
        let (line, codes) = line(replies: ["a", "b"])
        let socket = try await line.texts { $0.inbox = inbox }.process()
        let (error, cause) = await failure { for try await text in socket { try await socket.send(text) } }
        #expect(error?.code == .invalidResponse && cause?.code == .broken)
        #expect(try await codes.next() == 1002)
    }

    @Test("are told to the other side no later than the timeout of a close, whatever the reader does")
    func timeout() async throws {
        let (line, codes) = line(replies: [])
        let socket = try await line.texts { ($0.keepAlive, $0.closeTimeout) = (nil, .seconds(3)) }.process()
        var messages = socket.makeAsyncIterator()
        #expect(try await messages.next() == "a")
        try await line.clock.waitForSleepers(1)
        #expect(socket.state == .open)
        line.clock.advance(by: .seconds(3))
        #expect(try await codes.next() == 1002)
        #expect(try await messages.next() == "b")
        #expect(await failure { _ = try await messages.next() }.0?.code == .invalidResponse)
    }

    @Test("do not hold up a close of this side")
    func closed() async throws {
        let (line, codes) = line(replies: [])
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        await until { socket.statistics.messagesReceived == 2 }
        await socket.close()
        #expect(try await codes.next() != nil)
    }
}

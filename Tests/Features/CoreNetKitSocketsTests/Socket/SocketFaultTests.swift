import CoreNetKit
import CoreNetKitMock
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
    private func line(replies: [String]) -> (Line, AsyncStream<UInt16>) {
        let (codes, got) = AsyncStream.makeStream(of: UInt16.self)
        let line = Line(
            .socket { peer in
                defer { got.finish() }
                peer.send(bytes: Self.faulty("a", "b"))
                for reply in replies { try await peer.expect(text: reply) }
                got.yield(try await peer.expectClose())
            }
        )
        return (line, codes)
    }

    @Test("are told behind the messages before them, which can be replied to", arguments: [1, 2, 16])
    func replies(inbox: Int) async throws {
        let (line, codes) = line(replies: ["a", "b"])
        let socket = try await line.texts { $0.inbox = inbox }.process()
        let (error, cause) = await failure { for try await text in socket { try await socket.send(text) } }
        #expect(error?.code == .invalidResponse && cause?.code == .broken)
        var found = codes.makeAsyncIterator()
        #expect(await found.next() == 1002)
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
        var found = codes.makeAsyncIterator()
        #expect(await found.next() == 1002)
        #expect(try await messages.next() == "b")
        let (error, _) = await failure { _ = try await messages.next() }
        #expect(error?.code == .invalidResponse)
    }

    @Test("do not hold up a close of this side")
    func closed() async throws {
        let (line, codes) = line(replies: [])
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        await until { socket.statistics.messagesReceived == 2 }
        await socket.close()
        var found = codes.makeAsyncIterator()
        #expect(await found.next() != nil)
    }
}

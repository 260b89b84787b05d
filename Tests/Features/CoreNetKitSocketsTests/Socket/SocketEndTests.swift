import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitSockets
import Foundation
import TestPace
import Testing

@Suite("Sockets: the end", .timeLimit(.minutes(10)), .paced)
struct SocketEndTests {
    /// Runs a task where it is resumed, before who has resumed it goes on.
    private final class AtOnce: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    @Test("is the state when a reader is told of it", arguments: [1000, 1006, 1011])
    func state(_ code: UInt16) async throws {
        let gate = LoopbackGate()
        let line = Line(
            .socket { peer in
                try await gate.wait()
                if code == 1006 { return peer.drop() }
                peer.close(code)
                try await peer.expectClose()
            }
        )
        let socket = try await line.texts().process()
        let reader = Task(executorPreference: AtOnce()) {
            var messages = socket.makeAsyncIterator()
            _ = try? await messages.next()
            return socket.state
        }
        gate.open()
        let close = SocketClose(.init(rawValue: code), isFromPeer: code != 1006)
        #expect(await reader.value == .closed(close))
    }
}

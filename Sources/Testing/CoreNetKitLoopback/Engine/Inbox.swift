import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Commands from any thread to the server's own thread, with one wake-up for a burst.
final class Inbox: Sendable {
    /// A connection of the server's thread, or a stream of it; the number distinguishes it from a later one with the same
    /// descriptor.
    struct Address: Sendable, Hashable {
        let descriptor: Int32
        let connection: Int
        /// 0 for the connection itself.
        var stream: Int32 = 0
    }

    enum Command: Sendable {
        case respond(Address, LoopbackResponse)
        case resume(Address)
        case peer(Address, SocketPeer.Output)
        case closeConnections
        case tick
        case stop
    }

    private struct State: Sendable {
        var commands: [Command] = []
        var isSignalled = false
        var isClosed = false
    }

    let reader: Int32
    private let writer: Int32
    private let state = Locked(State())

    init() throws { (reader, writer) = try SystemSocket.makePipe() }

    func post(_ command: Command) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(command)
            guard !state.isSignalled else { return }
            state.isSignalled = true
            var byte: UInt8 = 1
            while write(writer, &byte, 1) < 0, errno == EINTR {}
        }
    }

    /// Takes all commands; called by the server's thread when the pipe is readable.
    func take() -> [Command] {
        state.withLock { state in
            var bytes: UInt64 = 0
            while read(reader, &bytes, 8) < 0, errno == EINTR {}
            state.isSignalled = false
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Refuses all further commands and closes the pipe.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.commands = []
            SystemSocket.shut(reader)
            SystemSocket.shut(writer)
        }
    }
}

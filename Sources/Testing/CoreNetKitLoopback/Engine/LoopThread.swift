import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem
import Dispatch

/// The thread that runs a server's loop.
final class LoopThread: Sendable {
    /// Set by the thread itself.
    private let thread = Locked(pthread_t?.none)
    private let isStopped = Locked(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ loop: EventLoop) throws {
        // The new thread inherits the mask: it must not handle signals of the process.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        // From here on only the thread uses it.
        nonisolated(unsafe) let loop = loop
        let hasStarted = DetachedThread.start { [thread, ended] in
            thread.withLock { $0 = pthread_self() }
            loop.run()
            ended.signal()
        }
        guard hasStarted else { throw LoopbackError(system: "pthread_create", code: EAGAIN, at: "the server") }
    }

    /// Ends the loop; with `waits` it returns when every socket is closed, unless it is called by the loop itself.
    func stop(_ commands: CommandQueue, waits: Bool) {
        commands.post(.stop)
        guard isStopped.set(), waits else { return }
        if let thread = thread.value, pthread_equal(thread, pthread_self()) != 0 { return }
        ended.wait()
    }
}

/// Commands from any thread to the server's own thread, with one wake-up for a burst.
final class CommandQueue: Sendable {
    /// A connection of the server's thread, or a stream of it; the number distinguishes it from a later one with the same
    /// descriptor.
    struct ConnectionID: Sendable, Hashable {
        let descriptor: Int32
        let number: Int
        /// 0 for the connection itself.
        var stream: Int32 = 0
    }

    enum Command: Sendable {
        case respond(ConnectionID, LoopbackResponse)
        case resume(ConnectionID)
        case peer(ConnectionID, SocketPeer.Output)
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

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw LoopbackError(system: "pipe", code: errno, at: "the wake-up") }
        for end in ends { SystemSocket.setFlags(end) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit { close() }

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
            SystemSocket.closeDescriptor(reader)
            SystemSocket.closeDescriptor(writer)
        }
    }
}

import CoreNetKitHTTP
import CoreNetKitPeer
import CoreNetKitSystem

final class LoopThread: Sendable {
    /// The bits of the `pthread_t`, which is a pointer on some platforms; `nil` once it was joined or detached.
    private let thread: Locked<UInt?>

    init(_ loop: EventLoop) throws { thread = Locked(try Self.start(loop)) }

    /// Ends the loop; with `waits` it returns when every socket is closed, unless it is called by the loop itself.
    func stop(_ commands: CommandQueue, waits: Bool) {
        commands.post(.stop)
        guard let bits = thread.withLock({ $0.take() }), let thread = Self.thread(bits) else { return }
        if waits && pthread_equal(thread, pthread_self()) == 0 {
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    private static func start(_ loop: EventLoop) throws -> UInt {
        let reference = Unmanaged.passRetained(loop)
        // The new thread inherits the mask: it must not handle signals of the process.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let code = pthread_create(
            &thread,
            nil,
            { argument in
                let argument: UnsafeMutableRawPointer? = argument
                if let argument { Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            reference.toOpaque()
        )
        guard code == 0 else {
            reference.release()
            throw LoopbackError(system: "pthread_create", code: code, at: "the server")
        }
        #if canImport(Glibc)
            return UInt(thread)
        #else
            return UInt(bitPattern: thread)
        #endif
    }

    private static func thread(_ bits: UInt) -> pthread_t? {
        #if canImport(Glibc)
            pthread_t(bits)
        #else
            pthread_t(bitPattern: bits)
        #endif
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
            SystemSocket.closeDescriptor(reader)
            SystemSocket.closeDescriptor(writer)
        }
    }
}

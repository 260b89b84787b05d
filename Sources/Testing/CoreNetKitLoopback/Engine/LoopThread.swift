import CoreNetKitHTTP
import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The thread that runs an event loop.
final class LoopThread: Sendable {
    /// The bits of the `pthread_t`, which is a pointer on some platforms; `nil` once it was joined or detached.
    private let thread: Locked<UInt?>

    init(
        _ socket: ListeningSocket,
        inbox: Inbox,
        journal: Journal,
        routes: Routes,
        bodyLimit: Int,
        tickInterval: Duration?,
        portable: Bool
    ) throws {
        do {
            let loop = EventLoop(
                socket: socket,
                poller: try Self.makePoller(portable: portable),
                inbox: inbox,
                journal: journal,
                routes: routes,
                bodyLimit: bodyLimit,
                tickInterval: tickInterval
            )
            thread = Locked(try Self.start(loop))
        } catch {
            socket.close()
            inbox.close()
            throw error
        }
    }

    /// Ends the loop; with `waits` it returns when every socket is closed, unless it is called by the loop itself.
    func stop(_ inbox: Inbox, waits: Bool) {
        inbox.post(.stop)
        guard let bits = thread.withLock({ $0.take() }), let thread = Self.thread(bits) else { return }
        if waits && pthread_equal(thread, pthread_self()) == 0 {
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    private static func makePoller(portable: Bool) throws -> any Poller {
        #if os(Linux)
            if !portable { return try EpollPoller() }
        #endif
        return PollPoller()
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

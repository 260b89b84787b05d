#if os(Linux)
    import CNetCurl
    import CNetEpoll
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// The sockets and timers that libcurl waits for, in one epoll set, and what ends the wait.
    ///
    /// A kept connection stays in the set, so an exchange on it costs no `epoll_ctl`. Belongs to the owner thread,
    /// except for ``wake()``.
    final class SocketSet {
        private struct Socket {
            /// What libcurl waits for, as bits of `CNC_POLL_INOUT`.
            var wanted: UInt8 = 0
            /// What epoll reports.
            var registered: UInt8 = 0
            /// Whether it belongs to a connection, whose end is watched; libcurl has other sockets too.
            var isConnection = false
            /// Whether it belongs to a connection that libcurl no longer works on.
            var isOurs = false
            /// The number of the handle whose connection it was opened for, -1 if there is none.
            var owner = -1
            /// What tells a connection's socket from a later file with its number.
            var identity: UInt64 = 0
            var multi: UInt16 = 0
        }

        /// One of our connections that is readable or writable.
        typealias Ready = (descriptor: Int32, canSend: Bool, canReceive: Bool)

        @exclusivity(unchecked) var ready: [Ready] = []
        /// The socket that outlives its handle: libcurl's request to close it is ignored.
        @exclusivity(unchecked) private var kept: Int32 = -1
        private let epoll: Int32
        private let wakeUp: WakeUp
        @exclusivity(unchecked) private var sockets: [Socket] = []
        @exclusivity(unchecked) private(set) var connections = 0
        private let events: UnsafeMutablePointer<epoll_event>
        @exclusivity(unchecked) var multis: [MultiHandle] = []

        init?() {
            // First: what is allocated before it would leak, since `deinit` needs all properties.
            guard let wakeUp = WakeUp() else { return nil }
            events = .allocate(capacity: 256)
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            self.wakeUp = wakeUp
            // Edge-triggered, so that it need not be read.
            let data = epoll_data_t(fd: wakeUp.descriptor)
            var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: data)
            guard epoll >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp.descriptor, &event) == 0 else { return nil }
        }

        deinit {
            closeDescriptor(epoll)
            events.deallocate()
        }

        /// Ends a wait, from any thread.
        func wake() { wakeUp.wake() }

        /// Waits at most so many milliseconds; returns how many sockets are ready, for ``act(on:)``.
        func wait(_ milliseconds: Int32) -> Int { Int(max(0, epoll_wait(epoll, events, 256, milliseconds))) }

        func act(on count: Int) {
            for index in 0..<count {
                let descriptor = events[index].data.fd
                guard descriptor != wakeUp.descriptor else { continue }
                let ready = SocketSet.readiness(events[index].events)
                guard sockets.indices.contains(Int(descriptor)) else { continue }
                let socket = sockets[Int(descriptor)]
                if ready & socket.wanted == 0 {
                    register(descriptor, socket.wanted)
                } else if socket.isOurs {
                    let canSend = ready & socket.wanted & UInt8(CNC_CSELECT_OUT) != 0
                    let canReceive = ready & socket.wanted & UInt8(CNC_CSELECT_IN) != 0
                    self.ready.append((descriptor, canSend: canSend, canReceive: canReceive))
                } else {
                    cnc_multi_act(multis[Int(socket.multi)].pointer, descriptor, Int32(ready & socket.wanted))
                }
            }
        }

        /// When libcurl wants to continue even if no socket is ready.
        var timer: Int64 {
            var soonest = MonotonicTime.never
            for multi in multis where multi.timer < soonest { soonest = multi.timer }
            return soonest
        }

        func fireTimers(_ now: Int64) -> Bool {
            var hasFired = false
            for multi in multis where multi.fireTimer(now) { hasFired = true }
            return hasFired
        }

        func opened(_ descriptor: Int32, by owner: Int = -1) {
            reserve(descriptor)
            // libcurl may have closed one with that number in silence.
            if !sockets[Int(descriptor)].isConnection { connections += 1 }
            sockets[Int(descriptor)] = Socket(
                isConnection: true,
                owner: owner,
                identity: cnc_socket_identity(descriptor)
            )
        }

        /// The handle whose connection a socket was opened for; -1 if there is none.
        func owner(of descriptor: Int32) -> Int {
            sockets.indices.contains(Int(descriptor)) ? sockets[Int(descriptor)].owner : -1
        }

        /// Whether a socket that libcurl opened for a handle's connection is still open: it may have closed it in silence.
        func isOpen(_ descriptor: Int32, of owner: Int) -> Bool {
            guard self.owner(of: descriptor) == owner, sockets[Int(descriptor)].isConnection else { return false }
            return sockets[Int(descriptor)].identity == cnc_socket_identity(descriptor)
        }

        /// Forgets a socket that libcurl has closed in silence.
        func forget(_ descriptor: Int32, of owner: Int) {
            guard self.owner(of: descriptor) == owner, sockets[Int(descriptor)].isConnection,
                !isOpen(descriptor, of: owner)
            else { return }
            connections -= 1
            sockets[Int(descriptor)] = Socket()
        }

        func watchRival(_ descriptor: Int32, of owner: Int) {
            reserve(descriptor)
            if sockets[Int(descriptor)].isConnection { connections -= 1 }
            sockets[Int(descriptor)] = Socket(isOurs: true, owner: owner)
            watch(descriptor, for: Int32(CNC_POLL_OUT))
        }

        /// Puts a connected socket of our own in the place of one of libcurl's, under that one's number.
        func replace(_ descriptor: Int32, by rival: Int32) -> Bool {
            register(rival, 0)
            guard cnc_socket_replace(descriptor, rival) else { return false }
            close(rival)
            // The replaced socket has left the epoll set with its last descriptor.
            let wanted = sockets[Int(descriptor)].wanted
            sockets[Int(descriptor)].registered = 0
            sockets[Int(descriptor)].identity = cnc_socket_identity(descriptor)
            register(descriptor, wanted)
            return true
        }

        /// Takes a finished connection from libcurl; `closing` makes libcurl release its handle.
        func keep(_ descriptor: Int32, closing: () -> Void) {
            kept = descriptor
            closing()
            kept = -1
        }

        func adopt(_ descriptor: Int32) {
            reserve(descriptor)
            sockets[Int(descriptor)].isOurs = true
            watch(descriptor, for: Int32(CNC_POLL_IN))
        }

        func close(_ descriptor: Int32) {
            if descriptor == kept { return }
            if sockets.indices.contains(Int(descriptor)) {
                // Closing removes it from the epoll set only if no child process has it too.
                register(descriptor, 0)
                if sockets[Int(descriptor)].isConnection { connections -= 1 }
                sockets[Int(descriptor)] = Socket()
            }
            closeDescriptor(descriptor)
        }

        func watch(_ descriptor: Int32, for what: Int32, by multi: Int = 0) {
            reserve(descriptor)
            sockets[Int(descriptor)].multi = UInt16(truncatingIfNeeded: multi)
            let wanted = UInt8(truncatingIfNeeded: what) & UInt8(CNC_POLL_INOUT)
            let socket = sockets[Int(descriptor)]
            sockets[Int(descriptor)].wanted = wanted
            if !socket.isConnection, !socket.isOurs, socket.registered == 0 {
                // A socket of the resolver's: older libraries let programs that are started meanwhile inherit it.
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            if wanted & ~socket.registered != 0 || (wanted == 0 && !socket.isConnection) {
                register(descriptor, wanted)
            }
        }

        private func register(_ descriptor: Int32, _ wanted: UInt8) {
            let registered = sockets[Int(descriptor)].registered
            sockets[Int(descriptor)].registered = wanted
            guard wanted != registered else { return }
            var bits: UInt32 = 0
            if wanted & UInt8(CNC_POLL_IN) != 0 { bits |= EPOLLIN.rawValue }
            if wanted & UInt8(CNC_POLL_OUT) != 0 { bits |= EPOLLOUT.rawValue }
            var event = epoll_event(events: bits, data: epoll_data_t(fd: descriptor))
            let operation = wanted == 0 ? EPOLL_CTL_DEL : registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            guard epoll_ctl(epoll, operation, descriptor, &event) != 0, wanted != 0 else { return }
            // libcurl closed the old socket itself, and another one now has the number.
            _ = epoll_ctl(epoll, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
        }

        private func reserve(_ descriptor: Int32) {
            while sockets.count <= Int(descriptor) { sockets.append(Socket()) }
        }

        /// epoll's events as bits of `CNC_CSELECT_…`; reading or writing reports an error.
        private static func readiness(_ events: UInt32) -> UInt8 {
            let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue
            var ready = 0
            if events & (EPOLLIN.rawValue | broken) != 0 { ready |= CNC_CSELECT_IN }
            if events & (EPOLLOUT.rawValue | broken) != 0 { ready |= CNC_CSELECT_OUT }
            return UInt8(ready)
        }
    }

    /// A multi handle of libcurl and its timer.
    ///
    /// One serves all exchanges over HTTP/3; TLS connections use further ones, a few each: before 8.x libcurl searches
    /// all connections of its multi handle each time it moves bytes.
    final class MultiHandle {
        static let room = 16

        let number: Int
        let pointer: UnsafeMutableRawPointer
        private unowned let sockets: SocketSet
        /// When libcurl wants to continue even if no socket is ready.
        @exclusivity(unchecked) fileprivate(set) var timer = MonotonicTime.never
        /// Our connections in it, made or being made.
        @exclusivity(unchecked) var connectors = 0

        init?(number: Int, sockets: SocketSet, connections: Int) {
            guard let pointer = cnc_multi_init() else { return nil }
            (self.number, self.pointer, self.sockets) = (number, pointer, sockets)
            cnc_multi_set_number(pointer, CNCMOPT_PIPELINING, CNCPIPE_MULTIPLEX)
            cnc_multi_set_number(pointer, CNCMOPT_MAXCONNECTS, min(connections, 1 << 20))
            cnc_multi_set_watch_callback(pointer, CurlCallbacks.watchSocket)
            cnc_multi_set_pointer(pointer, CNCMOPT_SOCKETDATA, context)
            cnc_multi_set_timer_callback(pointer, CurlCallbacks.setTimer)
            cnc_multi_set_pointer(pointer, CNCMOPT_TIMERDATA, context)
        }

        /// Closes the connections kept in it; it cannot be used afterwards.
        func end() { cnc_multi_cleanup(pointer) }

        private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        func watch(_ descriptor: Int32, for what: Int32) { sockets.watch(descriptor, for: what, by: number) }

        func setTimer(_ milliseconds: Int) {
            timer =
                switch milliseconds {
                case ..<0: MonotonicTime.never
                case 0: 0
                default: MonotonicTime.after(MonotonicTime.now(), Int64(min(milliseconds, 1 << 40)) * 1_000_000)
                }
        }

        func fireTimer(_ now: Int64) -> Bool {
            guard timer <= now else { return false }
            timer = MonotonicTime.never
            cnc_multi_act(pointer, Int32(CNC_SOCKET_TIMEOUT), 0)
            return true
        }
    }

    /// Outside of the class, whose own `close` would be meant; the C library has another name with Musl.
    private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
#endif

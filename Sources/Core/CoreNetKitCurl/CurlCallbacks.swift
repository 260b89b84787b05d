#if os(Linux)
    import CoreNetKitHTTP
    import CNetCurl

    extension Unmanaged {
        /// The object that a context pointer stands for.
        fileprivate static func object(_ context: UnsafeMutableRawPointer) -> Instance {
            fromOpaque(context).takeUnretainedValue()
        }
    }

    /// The C functions that libcurl calls; each finds its exchange, or its loop's sockets, through the context pointer.
    enum CurlCallbacks {
        static let header: cnc_data_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return Unmanaged<EasyHandle>.object(context).receive(line: bytes, count: size * count) ? size * count : 0
        }

        static let content: cnc_data_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return Unmanaged<EasyHandle>.object(context).receive(content: bytes, count: size * count)
        }

        static let upload: cnc_data_callback = { bytes, size, count, context in
            guard let bytes, let context else { return CNC_READFUNC_ABORT }
            return Unmanaged<EasyHandle>.object(context).send(into: bytes, count: size * count)
        }

        static let rewind: cnc_seek_callback = { context, offset, origin in
            guard let context, offset == 0, origin == 0 else { return Int32(CNC_SEEKFUNC_FAIL) }
            return Int32(Unmanaged<EasyHandle>.object(context).rewind() ? CNC_SEEKFUNC_OK : CNC_SEEKFUNC_FAIL)
        }

        static let open: cnc_open_callback = { context, _, address in
            guard let context, let address else { return -1 }
            let handle = Unmanaged<EasyHandle>.object(context)
            let descriptor = handle.loop.openSocket(address, by: handle.number)
            if descriptor >= 0 { handle.opened(descriptor) }
            return descriptor
        }

        static let openForConnector: cnc_open_callback = { context, _, address in
            guard let context, let address else { return -1 }
            let setup = context.assumingMemoryBound(to: ConnectionSetup.self)
            let descriptor = setup.pointee.loop.openSocket(address, by: setup.pointee.number)
            if descriptor >= 0 { setup.pointee.socket = descriptor }
            return descriptor
        }

        /// Notes the address for the connection that wants to know it, and refuses to connect: libcurl names the next one.
        static let noteAddress: cnc_open_callback = { context, _, pointer in
            guard let context, let pointer else { return -1 }
            let setup = context.assumingMemoryBound(to: ConnectionSetup.self).pointee
            guard setup.loop.allows(family: pointer.pointee.family), let address = SocketAddress(pointer) else {
                return -1
            }
            setup.loop.attempts[setup.number]?.foundAddresses =
                (setup.loop.attempts[setup.number]?.foundAddresses ?? []) + [address]
            return -1
        }

        static let recordSentHead: cnc_debug_callback = { _, kind, bytes, count, context in
            guard let bytes, let context, kind == CNCINFO_HEADER_OUT else { return 0 }
            let transfer = Unmanaged<EasyHandle>.object(context).transfer
            transfer.outcome.sentHead.removeAll()
            _ = transfer.outcome.sentHead.append(bytes, count: min(count, EasyHandle.headLimit))
            return 0
        }

        static let closeSocket: cnc_close_callback = { context, descriptor in
            context.map { Unmanaged<LoopState>.object($0).sockets.close(descriptor) }
            return 0
        }

        static let watchSocket: cnc_watch_callback = { _, descriptor, what, context, _ in
            context.map { Unmanaged<MultiHandle>.object($0).watch(descriptor, for: what) }
            return 0
        }

        static let setTimer: cnc_timer_callback = { _, milliseconds, context in
            context.map { Unmanaged<MultiHandle>.object($0).setTimer(milliseconds) }
            return 0
        }

        static let connectorConnected: cnc_prereq_callback = { context, remote, _, remotePort, _ in
            guard let context else { return 1 }
            return context.assumingMemoryBound(to: ConnectionSetup.self).pointee.connected(remote, remotePort) ? 0 : 1
        }

        static let connected: cnc_prereq_callback = { context, remote, _, remotePort, _ in
            guard let context else { return 1 }
            return Unmanaged<EasyHandle>.object(context).connected(remoteIP: remote, remotePort: remotePort) ? 0 : 1
        }
    }
#endif

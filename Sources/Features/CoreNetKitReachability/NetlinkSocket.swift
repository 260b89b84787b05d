#if os(Linux)
    import CoreNetKitSystem

    struct NetlinkError: Error {
        let text: String

        init(_ what: String, _ code: Int32) {
            text = "the network is not watched: \(what) failed with \(String(cString: strerror(code)))"
        }
    }

    /// A netlink socket for interfaces and routes; used by one thread at a time.
    final class NetlinkSocket: Sendable {
        // Constants of <linux/netlink.h> and <linux/rtnetlink.h>, which the toolchain's module omits.
        private static let routing: Int32 = 0
        private static let (getLink, getRoute): (UInt16, UInt16) = (18, 26)
        /// The flags of a request for the whole list.
        private static let listFlags: UInt16 = 0x301
        /// The multicast groups of interfaces, and of routes of both families.
        private static let groups: UInt32 = 0x1 | 0x40 | 0x400
        private static let (raw, closesOnExec): (Int32, Int32) = (3, 0o2_000_000)
        private static let doesNotWait: Int32 = 0x40
        private static let bufferSize = 64 << 10

        let descriptor: Int32

        init() throws(NetlinkError) {
            let descriptor = socket(AF_NETLINK, Self.raw | Self.closesOnExec, Self.routing)
            guard descriptor >= 0 else { throw NetlinkError("a netlink socket", errno) }
            self.descriptor = descriptor
            // The kernel replies at once; the limit is for systems that emulate netlink and never reply.
            var timeout = timeval(tv_sec: 1, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            // Family, padding, a port number that the kernel chooses, and the groups.
            var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, Self.groups)
            let result = withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, 12) }
            }
            guard result == 0 else { throw NetlinkError("to listen to netlink", errno) }
        }

        deinit { close(descriptor) }

        func list(into table: inout RoutingTable) throws(NetlinkError) {
            table = RoutingTable()
            for type in [Self.getLink, Self.getRoute] {
                try request(type)
                var isDone = false
                while !isDone {
                    for message in try receive(0) {
                        switch message {
                        case .failed(let code): throw NetlinkError("a list of netlink", code)
                        case .done: isDone = true
                        default: table.apply(message)
                        }
                    }
                }
            }
        }

        /// Applies the pending messages; if some were lost, requests everything again.
        func follow(_ table: inout RoutingTable) throws(NetlinkError) {
            var isLost = false
            do throws(NetlinkError) {
                for message in try receive(Self.doesNotWait) {
                    if message == .overrun { isLost = true }
                    table.apply(message)
                }
            } catch {
                isLost = true
            }
            if isLost { try list(into: &table) }
        }

        private func request(_ type: UInt16) throws(NetlinkError) {
            var request = [UInt8](repeating: 0, count: 20)
            request.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: UInt32(20), as: UInt32.self)
                bytes.storeBytes(of: type, toByteOffset: 4, as: UInt16.self)
                bytes.storeBytes(of: Self.listFlags, toByteOffset: 6, as: UInt16.self)
            }
            guard send(descriptor, request, request.count, 0) == request.count else {
                throw NetlinkError("to ask netlink", errno)
            }
        }

        private func receive(_ flags: Int32) throws(NetlinkError) -> [NetlinkMessage] {
            var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
            let count = recv(descriptor, &buffer, buffer.count, flags)
            if count < 0, errno == EINTR || errno == EAGAIN, flags != 0 { return [] }
            guard count > 0 else { throw NetlinkError("to receive from netlink", count == 0 ? EPIPE : errno) }
            return buffer.withUnsafeBytes { NetlinkMessage.all(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
#endif

import CoreNetKitChain
import CoreNetKitSystem

#if os(Linux)
    import CNetEpoll

    /// Follows the kernel's messages on a separate thread, as long as it is held.
    final class NetworkMonitor: Sendable {
        let problem: String?
        /// An event descriptor that ends the thread; the thread closes it and the socket.
        private let bell: Int32

        init(_ feed: StateFeed<NetworkState>) {
            let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            do throws(NetlinkError) {
                guard bell >= 0 else { throw NetlinkError("eventfd", errno) }
                let socket = try NetlinkSocket()
                var table = RoutingTable()
                try socket.list(into: &table)
                feed.update(table.isReachable)
                let start = table
                let hasThread = DetachedThread.start {
                    Self.follow(socket, until: bell, from: start, feed)
                    close(bell)
                }
                guard hasThread else { throw NetlinkError("a thread", EAGAIN) }
                (self.bell, problem) = (bell, nil)
            } catch {
                if bell >= 0 { close(bell) }
                (self.bell, problem) = (-1, error.text)
            }
        }

        deinit {
            guard bell >= 0 else { return }
            var one: UInt64 = 1
            _ = write(bell, &one, 8)
        }

        private static func follow(
            _ socket: NetlinkSocket,
            until bell: Int32,
            from start: RoutingTable,
            _ feed: StateFeed<NetworkState>
        ) {
            var table = start
            while true {
                var descriptors = [
                    pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
                ]
                let count = poll(&descriptors, 2, -1)
                if count < 0, errno == EINTR { continue }
                if count < 0 || descriptors[1].revents != 0 { return }
                do throws(NetlinkError) {
                    try socket.follow(&table)
                } catch {
                    return
                }
                feed.update(table.isReachable)
            }
        }
    }
#else
    import Dispatch
    import Network

    /// Follows the system's path monitor, as long as it is held.
    final class NetworkMonitor: Sendable {
        let problem: String? = nil
        private let monitor = NWPathMonitor()

        init(_ feed: StateFeed<NetworkState>) {
            monitor.pathUpdateHandler = { path in feed.update(path.status == .satisfied) }
            monitor.start(queue: DispatchQueue(label: "CoreNetKit.NetworkWatch"))
        }

        deinit { monitor.cancel() }
    }
#endif

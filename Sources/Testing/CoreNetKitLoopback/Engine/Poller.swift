import CoreNetKitSystem

#if os(Linux)
    import CNetEpoll
#endif

struct Interest: OptionSet {
    /// Events of `poll`, which are those of `epoll`.
    let rawValue: Int16
    static let read = Interest(rawValue: Int16(POLLIN))
    static let write = Interest(rawValue: Int16(POLLOUT))
}

struct Readiness {
    let descriptor: Int32
    /// As of ``Interest``, and those of a connection's end.
    let events: Int16

    var isReadable: Bool { events & Interest.read.rawValue != 0 }
    var isWritable: Bool { events & Interest.write.rawValue != 0 }
    /// The peer is gone, or will send nothing more.
    var isHungUp: Bool { events & ~([.read, .write] as Interest).rawValue != 0 }
}

protocol Poller: AnyObject {
    func add(_ descriptor: Int32, _ interest: Interest)
    func change(_ descriptor: Int32, _ interest: Interest)
    func remove(_ descriptor: Int32)
    /// Fills `ready` with the ready descriptors, after at most `timeout` milliseconds (-1: without limit).
    func wait(timeout: Int32, into ready: inout [Readiness])
    func close()
}

#if os(Linux)
    /// `epoll`, level-triggered.
    final class EpollPoller: Poller {
        private let epoll: Int32
        private var events = [epoll_event](repeating: epoll_event(), count: 256)

        init() throws {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard epoll >= 0 else { throw LoopbackError(system: "epoll_create1", code: errno, at: "the server") }
        }

        func add(_ descriptor: Int32, _ interest: Interest) { control(EPOLL_CTL_ADD, descriptor, interest) }
        func change(_ descriptor: Int32, _ interest: Interest) { control(EPOLL_CTL_MOD, descriptor, interest) }
        func remove(_ descriptor: Int32) { control(EPOLL_CTL_DEL, descriptor, []) }
        func close() { SystemSocket.closeDescriptor(epoll) }

        func wait(timeout: Int32, into ready: inout [Readiness]) {
            ready.removeAll(keepingCapacity: true)
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            guard count > 0 else { return }
            for event in events[..<Int(count)] {
                ready.append(Readiness(descriptor: event.data.fd, events: Int16(truncatingIfNeeded: event.events)))
            }
        }

        private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Interest) {
            // A stalled server, which neither reads nor writes, must notice a client that leaves. One that only writes
            // must not: a client that has closed its sending side may still read the response.
            let bits = UInt32(interest.rawValue) | (interest == .write ? 0 : EPOLLRDHUP.rawValue)
            var event = epoll_event(events: bits, data: epoll_data_t(fd: descriptor))
            _ = epoll_ctl(epoll, operation, descriptor, &event)
        }
    }
#endif

/// `poll`, for systems without `epoll`.
final class PollPoller: Poller {
    private var descriptors: [pollfd] = []
    private var positions: [Int32: Int] = [:]

    func add(_ descriptor: Int32, _ interest: Interest) {
        positions[descriptor] = descriptors.count
        descriptors.append(pollfd(fd: descriptor, events: interest.rawValue, revents: 0))
    }

    func change(_ descriptor: Int32, _ interest: Interest) {
        if let position = positions[descriptor] { descriptors[position].events = interest.rawValue }
    }

    func remove(_ descriptor: Int32) {
        guard let position = positions.removeValue(forKey: descriptor), let last = descriptors.popLast() else { return }
        if position < descriptors.count {
            descriptors[position] = last
            positions[last.fd] = position
        }
    }

    func wait(timeout: Int32, into ready: inout [Readiness]) {
        ready.removeAll(keepingCapacity: true)
        guard poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 else { return }
        for entry in descriptors where entry.revents != 0 {
            ready.append(Readiness(descriptor: entry.fd, events: entry.revents))
        }
    }

    func close() {}
}

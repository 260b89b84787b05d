#if os(Linux)
    import CNetCurl
    import CoreNetKitSystem

    /// What a loop shares with its handles and their callbacks: sockets and connections, events for the loop, how handles are made.
    final class LoopState {
        let options: CurlOptions
        let sockets: SocketSet
        /// What outlives the connections: resolved names and TLS sessions.
        let share: UnsafeMutableRawPointer?
        /// Never used for an exchange: copying it is cheaper than setting each option again.
        private let pattern: UnsafeMutableRawPointer
        @exclusivity(unchecked) var attempts: [Int: ConnectAttempt] = [:]
        /// No further address is due before this time.
        @exclusivity(unchecked) var nextAttemptAt = MonotonicTime.never
        @exclusivity(unchecked) var connectionsCreated = 0
        @exclusivity(unchecked) var handshakes = 0
        /// Handles of exchanges with news for the loop that cannot wait for their end.
        @exclusivity(unchecked) var news: [Int] = []
        /// The time as of the loop's latest turn: close enough for the idle limit, and free.
        @exclusivity(unchecked) var now: Int64 = 0
        private let family: Int32

        init?(_ configuration: CurlTransport.Configuration, _ options: CurlOptions) {
            guard let sockets = SocketSet(), let pattern = cnc_easy_init() else { return nil }
            (self.options, self.sockets, self.pattern) = (options, sockets, pattern)
            share = cnc_share_init()
            family =
                switch configuration.addressFamily {
                case .any: AF_UNSPEC
                case .ipv4: AF_INET
                case .ipv6: AF_INET6
                }
            configure(pattern)
        }

        deinit {
            cnc_easy_cleanup(pattern)
            // Now that no handle has it.
            cnc_share_cleanup(share)
        }

        func makeHandle() -> UnsafeMutableRawPointer? { cnc_easy_copy(pattern) }

        func configure(_ easy: UnsafeMutableRawPointer) {
            options.apply(to: easy)
            cnc_easy_set_data_callback(easy, CNCOPT_HEADERFUNCTION, CurlCallbacks.header)
            cnc_easy_set_data_callback(easy, CNCOPT_WRITEFUNCTION, CurlCallbacks.content)
            cnc_easy_set_open_callback(easy, CurlCallbacks.open)
            cnc_easy_set_close_callback(easy, CurlCallbacks.closeSocket)
            cnc_easy_set_pointer(easy, CNCOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
            cnc_easy_set_prereq_callback(easy, CurlCallbacks.connected)
        }

        func allows(family: Int32) -> Bool { self.family == AF_UNSPEC || family == self.family || family == AF_UNIX }

        /// Opens a socket for a handle's connection.
        func openSocket(_ address: UnsafePointer<cnc_address>, by number: Int) -> Int32 {
            let place = address.pointee
            // Newer libcurl connects to a host that is written as an address whatever its family.
            guard allows(family: place.family) else { return -1 }
            // Close-on-exec from the start: another thread may start a program at any moment.
            let descriptor = socket(place.family, place.type | Int32(SOCK_CLOEXEC.rawValue), place.protocol)
            if descriptor >= 0 { opened(descriptor, address, by: number) }
            return descriptor
        }
    }

    struct SocketAddress: Hashable {
        let family: Int32
        let bytes: [UInt8]

        /// `nil` unless it is a TCP address.
        init?(_ pointer: UnsafePointer<cnc_address>) {
            let address = pointer.pointee
            guard address.type & 0xF == Int32(SOCK_STREAM.rawValue), [AF_INET, AF_INET6].contains(address.family),
                address.length <= MemoryLayout<sockaddr_storage>.size
            else { return nil }
            family = address.family
            // The address itself follows the fields of the structure.
            let start = UnsafeRawPointer(pointer) + MemoryLayout<cnc_address>.size
            bytes = Array(UnsafeRawBufferPointer(start: start, count: Int(address.length)))
        }

        init?(peerOf socket: Int32) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
            guard isKnown else { return nil }
            family = Int32(storage.ss_family)
            bytes = withUnsafeBytes(of: storage) { Array($0.prefix(Int(size))) }
        }

        var text: String {
            let (start, count) = family == AF_INET6 ? (8, 16) : (4, 4)
            guard bytes.count >= start + count else { return "" }
            let port = Int32(bytes[2]) << 8 | Int32(bytes[3])
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                bytes.withUnsafeBytes { raw in
                    let address = raw.baseAddress.map { $0 + start }
                    let host = inet_ntop(family, address, text.baseAddress, socklen_t(text.count))
                    return SocketAddress.text(host, port) ?? ""
                }
            }
        }

        static func text(_ address: UnsafePointer<CChar>?, _ port: Int32) -> String? {
            guard let address, address.pointee != 0 else { return nil }
            let host = String(cString: address)
            return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// A connection that libcurl is making for a handle: its sockets, and those that are tried beside them.
    ///
    /// libcurl tries the addresses of one family one after the other, and 7.88 never gets to the second one while the first
    /// is silent. So the next address is tried 250 ms after the one before (RFC 8305, 5) with a socket of our own; if that
    /// is connected first, it takes the place of libcurl's under the same number.
    struct ConnectAttempt {
        static let delay: Int64 = 250_000_000

        /// libcurl's sockets; some may have been closed.
        var sockets: [Int32] = []
        var rivals: [Int32] = []
        /// The addresses that are tried or were, in their order.
        var tried: [SocketAddress] = []
        /// All addresses as libcurl finds them; `nil` before it was asked.
        var foundAddresses: [SocketAddress]?
        /// Whether one of ours has taken the place of libcurl's.
        var isReplaced = false
        var nextAt = MonotonicTime.never

        /// The next address that was not tried: of the other family than the last one, if there is any (RFC 8305, 4).
        mutating func takeNext() -> SocketAddress? {
            let left = (foundAddresses ?? []).filter { !tried.contains($0) }
            let other = left.first { $0.family != tried.last?.family }
            guard let next = other ?? left.first else { return nil }
            tried.append(next)
            return next
        }
    }

    extension LoopState {
        private func opened(_ descriptor: Int32, _ address: UnsafePointer<cnc_address>, by number: Int) {
            sockets.opened(descriptor, by: number)
            var attempt = attempts[number] ?? ConnectAttempt()
            attempt.sockets.append(descriptor)
            if let address = SocketAddress(address) {
                if !attempt.tried.contains(address) { attempt.tried.append(address) }
                // Where connecting does not wait, libcurl is done long before.
                attempt.nextAt = MonotonicTime.after(now, ConnectAttempt.delay)
                nextAttemptAt = min(nextAttemptAt, attempt.nextAt)
            }
            attempts[number] = attempt
        }

        /// A handle's connection was made or given up: libcurl 7.88 closes the other sockets without a word.
        func endAttempt(_ number: Int, keeping socket: Int32 = -1) {
            guard !attempts.isEmpty, let attempt = attempts.removeValue(forKey: number) else { return }
            for rival in attempt.rivals { sockets.close(rival) }
            for descriptor in attempt.sockets where descriptor != socket { sockets.forget(descriptor, of: number) }
        }

        func addressesTried(by number: Int) -> String? {
            guard let attempt = attempts[number], attempt.tried.count > 1 else { return nil }
            return attempt.tried.map(\.text).joined(separator: ", ")
        }
    }
#endif

#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl

    typealias TLSDetails = (version: String, cipher: String)

    /// What libcurl's callbacks record while a connection is being made, at a stable address.
    struct ConnectionSetup {
        let loop: LoopState
        let easy: UnsafeMutableRawPointer
        let number: Int
        var startedAt: Int64 = 0
        var isSecure = false
        /// The key of the server whose name its certificate must have.
        var named: String?
        var socket: Int32 = -1
        var remote: String?
        var times: (resolve: Int64, connect: Int64, tls: Int64) = (0, 0, 0)
        var details: TLSDetails?
        private(set) var isHTTP2 = false
        private(set) var hasWrongHost = false

        /// The connection is open, and libcurl reports its TLS details only now; returns whether it may be used.
        mutating func connected(_ address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
            remote = SocketAddress.text(address, port)
            // libcurl takes the socket for another one.
            if loop.attempts[number]?.isReplaced == true, let peer = SocketAddress(peerOf: socket) {
                remote = peer.text
            }
            guard isSecure else { return true }
            details = CurlLibrary.tlsDetails(of: easy)
            isHTTP2 = cnc_easy_agreed_on_http2(easy)
            hasWrongHost = named.map { !CurlLibrary.isNamed($0, on: easy) } ?? false
            return !hasWrongHost
        }
    }

    /// Whether TCP is connected, perhaps not yet TLS; libcurl reports only when both are.
    func socketIsConnected(_ socket: Int32) -> Bool { SocketAddress(peerOf: socket) != nil }

    /// An easy handle that only connects, and stays with a TLS connection: names, addresses, proxies, TLS, no HTTP.
    final class Connector {
        /// Their numbers begin above those of exchange handles.
        static let firstNumber = 1 << 30

        let number: Int
        let easy: UnsafeMutableRawPointer
        let setup: UnsafeMutablePointer<ConnectionSetup>
        let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: CNC_ERROR_SIZE)
        private let loop: LoopState
        /// The multi handle that drives it, or that it stays in with its connection.
        @exclusivity(unchecked) var multi: MultiHandle?
        @exclusivity(unchecked) var transfer: Transfer?
        /// The number of the connection that it looked up addresses for last, instead of connecting.
        @exclusivity(unchecked) private(set) var lookedUpFor = -1
        @exclusivity(unchecked) private var hasLookedUp = false
        /// The last destination that was set: another connection to it sets nothing again.
        @exclusivity(unchecked) private var place = ""
        /// What tells a connection to a place from another one to it.
        @exclusivity(unchecked) private var kind = (isRaw: false, isTunnel: false, isShared: false)
        private let offer = UnsafeMutablePointer<cnc_offer>.allocate(capacity: 1)
        @exclusivity(unchecked) private var connectLimit: Int64 = 0

        init?(number: Int, loop: LoopState) {
            guard let easy = loop.makeHandle() else { return nil }
            (self.number, self.easy, self.loop) = (number, easy, loop)
            setup = .allocate(capacity: 1)
            setup.initialize(to: ConnectionSetup(loop: loop, easy: easy, number: number))
            errorText.initialize(repeating: 0, count: CNC_ERROR_SIZE)
            offer.initialize(to: cnc_offer())
        }

        deinit {
            cnc_easy_cleanup(easy)
            setup.deinitialize(count: 1)
            setup.deallocate()
            errorText.deallocate()
            offer.deallocate()
        }

        func usesProxy(for transfer: Transfer) -> Bool {
            switch transfer.wire.route {
            case .forward, .tunnel: true
            case .direct: false
            case .usual: loop.options.usesProxy(to: transfer.parameters.destination)
            }
        }

        /// Sets what this connection needs; its time limit starts now.
        func prepare(_ transfer: Transfer, now: Int64) {
            self.transfer = transfer
            let isSecure = transfer.parameters.destination.isSecure
            let named = isSecure && loop.options.verifiesServer ? transfer.parameters.destination.certifiedKey : nil
            setup.pointee = ConnectionSetup(loop: loop, easy: easy, number: number)
            (setup.pointee.startedAt, setup.pointee.isSecure, setup.pointee.named) = (now, isSecure, named)
            errorText.pointee = 0
            let kind = (transfer.parameters.isRaw, transfer.wire.route.isTunnel, transfer.parameters.mayShare)
            let isSame = kind == self.kind && !hasLookedUp
            self.kind = kind
            if transfer.parameters.destination.key != place || !isSame { configure(transfer) }
            if transfer.parameters.limits.connect != connectLimit {
                connectLimit = transfer.parameters.limits.connect
                cnc_easy_set_number(easy, CNCOPT_CONNECTTIMEOUT_MS, Connector.milliseconds(connectLimit))
            }
        }

        /// Sets what makes libcurl name the addresses for a transfer's connection instead of connecting to them.
        func lookUp(_ transfer: Transfer, for number: Int, now: Int64) {
            prepare(transfer, now: now)
            self.transfer = nil
            setup.pointee = ConnectionSetup(loop: loop, easy: easy, number: number)
            (lookedUpFor, hasLookedUp) = (number, true)
            cnc_easy_set_open_callback(easy, CurlCallbacks.noteAddress)
            cnc_easy_set_number(easy, CNCOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 1)
        }

        private func configure(_ transfer: Transfer) {
            hasLookedUp = false
            if !place.isEmpty {
                cnc_easy_reset(easy)
                loop.configure(easy)
            }
            (place, connectLimit) = (transfer.parameters.destination.key, 0)
            cnc_easy_set_pointer(easy, CNCOPT_SHARE, loop.share)
            cnc_easy_set_pointer(easy, CNCOPT_PRIVATE, UnsafeRawPointer(bitPattern: number + 1))
            cnc_easy_set_pointer(easy, CNCOPT_ERRORBUFFER, errorText)
            cnc_easy_set_open_callback(easy, CurlCallbacks.openForConnector)
            cnc_easy_set_pointer(easy, CNCOPT_OPENSOCKETDATA, setup)
            cnc_easy_set_prereq_callback(easy, CurlCallbacks.connectorConnected)
            cnc_easy_set_pointer(easy, CNCOPT_PREREQDATA, setup)
            _ = transfer.parameters.destination.place.withCString { cnc_easy_set_pointer(easy, CNCOPT_URL, $0) }
            cnc_easy_set_number(easy, CNCOPT_CONNECT_ONLY, 1)
            cnc_easy_set_number(easy, CNCOPT_FRESH_CONNECT, 1)
            cnc_easy_set_number(easy, CNCOPT_HTTP_VERSION, CNC_HTTP_VERSION_1_1)
            if transfer.parameters.destination.isSecure { offerProtocols(to: transfer) }
            if kind.isRaw {
                // Such connections are rare, and made anew because the name may point to another machine by now.
                cnc_easy_set_number(easy, CNCOPT_DNS_CACHE_TIMEOUT, 0)
            }
            loop.options.apply(to: easy, for: place)
            if let socket = transfer.parameters.destination.socket {
                _ = socket.path.withCString { cnc_easy_set_pointer(easy, CNCOPT_UNIX_SOCKET_PATH, $0) }
            }
            // libcurl gets the decision made here: deciding twice might give two results.
            switch transfer.wire.route {
            case .usual: break
            case .direct: _ = "*".withCString { cnc_easy_set_pointer(easy, CNCOPT_NOPROXY, $0) }
            case .forward(let proxy, _), .tunnel(let proxy):
                if kind.isTunnel { cnc_easy_set_number(easy, CNCOPT_HTTPPROXYTUNNEL, 1) }
                _ = proxy.withCString { cnc_easy_set_pointer(easy, CNCOPT_PROXY, $0) }
                _ = "".withCString { cnc_easy_set_pointer(easy, CNCOPT_NOPROXY, $0) }
            }
        }

        /// Sets what TLS offers: nothing for a raw connection, whose protocol has no name (RFC 7301, 3.2).
        private func offerProtocols(to transfer: Transfer) {
            guard cnc_can_offer() else {
                // libcurl's own offer is HTTP/1.1.
                if kind.isRaw { cnc_easy_set_number(easy, CNCOPT_SSL_ENABLE_ALPN, 0) }
                return
            }
            let names = kind.isRaw ? nil : kind.isShared ? loop.options.sharedOffer : Connector.http1
            offer.pointee = cnc_offer(
                easy: easy,
                names: names.map { UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self) },
                count: UInt32(names?.utf8CodeUnitCount ?? 0),
                may_have_secure_proxy: loop.options.usesSecureProxy(to: transfer.parameters.destination)
            )
            cnc_easy_offer(easy, offer)
        }

        private static let http1 = StaticString("\u{8}http/1.1")

        /// The connect limit for libcurl, which gives half of it to the first address; the loop's own limit expires first.
        private static func milliseconds(_ limit: Int64) -> Int {
            Int(min((limit / 1_000_000).saturatingAdd(100), Int64(Int32.max) / 2) * 2)
        }
    }
#endif

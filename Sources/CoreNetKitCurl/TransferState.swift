#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CNetCurl
    import Glibc

    /// What libcurl's callbacks read and write for one exchange, at an address that stays while its easy handle lives.
    ///
    /// A plain value behind a pointer: the callbacks run for each header line and each piece of content, and make no
    /// reference counting, no locking and no call into libcurl.
    struct TransferState {
        /// Why a callback ended the exchange.
        enum Refusal {
            case none
            case tooLarge(limit: Int)
            case outOfMemory
            case headTooLarge
            /// Content came without a head.
            case headMissing
            /// libcurl was about to send again what the server may have seen.
            case repetition
            case upload(UploadSource.Failure)
        }

        /// The most bytes of one head; libcurl limits single lines only.
        static let headLimit = 1 << 20

        /// The bytes of the final response's head, from its status line on.
        var head = RawBytes()
        var content = ContentSink()
        /// The lines behind the content.
        var trailers = RawBytes()
        var interim: [InterimResponse] = []
        /// The head that libcurl last sent, where the request asks for it.
        var sentHead = RawBytes()
        var monitor: ExchangeMonitor?
        var bodyCount: Int64 = 0
        var (isSecure, isDecoding, hasNoContent) = (false, false, false)
        var status: Int32 = 0
        var version = "1.1"
        var headIsComplete = false
        var refusal = Refusal.none

        var upload = UploadSource.none
        /// Bytes of the body given to libcurl.
        var sent: Int64 = 0
        /// What libcurl had counted of the body that is sent when the loop last looked.
        var written: Int64 = 0
        var isSendPaused = false
        var hasSentAll = false
        /// Whether the server has refused the request before all of it was there.
        var isRefusedEarly = false

        var isReceivePaused = false

        /// How the content is coded, which is undone by whoever reads it.
        var codings = ContentCodings()
        var (isChunked, hasLength) = (false, false)
        /// As the head says, where somebody asks.
        var contentLength: Int64 = 0
        var connectStartedAt: Int64 = 0
        var connectedAt: Int64 = 0
        /// Whether the server may have seen the request on a connection that libcurl gave up.
        var wasPerhapsSeen = false
        /// Whether libcurl gave up a connection after the request may have been sent on it.
        private var wasSentBefore = false
        /// Whether the request may be sent again when the server may have seen it, and when it cannot have.
        var (mayRepeatSeen, mayRepeatUnseen) = (false, false)
        var sentAt: Int64 = 0
        var firstByteAt: Int64 = 0
        var lastActivity: Int64 = 0
        /// Whether sending ends as soon as the connection is there: the request is one small write.
        var isSentAtOnce = true
        /// Whether a socket was opened for the connection that is about to come.
        private var openedSocket = false
        /// Whether the server had ended the kept connection before the request went out on it.
        private var wasDead = false
        /// Whether others may have streams on the same connection.
        var mayShareConnection = false
        /// Whether a connection of HTTP/1.1 may be kept: not where the wire would have spoken on it.
        var keepsHTTP1 = true
        /// Whether this connection is not kept, which the handle was told.
        var isForbidden = false
        /// Whether the lane of the request depended on what its server speaks, which nobody knew.
        var asks = false
        /// What the server was just found to speak over TLS, for the loop to note.
        var spoken: SpokenVersion?
        /// Whether the connection was made for this exchange.
        var isNewConnection = false
        /// The connection's socket, -1 where it is not known.
        var socket: Int32 = -1
        var connection = ConnectionTable.Connection()
        /// libcurl's own words on what went wrong, empty when it has none yet.
        let errorText: UnsafeMutablePointer<CChar>
        var remote = RemoteAddress()
        let loop: LoopState
        var easy: UnsafeMutableRawPointer
        /// The handle's.
        let number: Int
        var hasNews = false
        /// Whether the loop wants to know of each piece that comes in.
        var isWatched = false

        /// Tells the loop, once, that there is something to look at before the end of the exchange.
        mutating func announce() {
            guard !hasNews else { return }
            hasNews = true
            loop.news.append(number)
        }

        init(number: Int, easy: UnsafeMutableRawPointer, loop: LoopState, errorText: UnsafeMutablePointer<CChar>) {
            self.number = number
            self.easy = easy
            self.loop = loop
            self.errorText = errorText
        }

        /// Makes the state ready for the next exchange.
        mutating func reset() {
            head.free()
            content.bytes.free()
            content = ContentSink()
            trailers.free()
            sentHead.free()
            if !interim.isEmpty { interim = [] }
            if monitor != nil { monitor = nil }
            (upload, sent, written, isSendPaused) = (.none, 0, 0, false)
            (status, headIsComplete, refusal) = (0, false, .none)
            (hasSentAll, isRefusedEarly) = (false, false)
            (isWatched, hasNews) = (false, false)
            isReceivePaused = false
            (codings, isChunked, hasLength) = (.init(), false, false)
            (connectedAt, sentAt, firstByteAt, lastActivity) = (0, 0, 0, 0)
            (isSentAtOnce, openedSocket, isNewConnection, socket) = (true, false, false, -1)
            (wasPerhapsSeen, wasSentBefore, wasDead, connection) = (false, false, false, .init())
        }

        /// Whether the content that is handed on is another than that of the wire.
        var isDecoded: Bool { !codings.isEmpty && isDecoding }

        /// Whether the content's end is marked on the wire.
        var isDelimited: Bool {
            isChunked || hasLength || version == "2" || version == "3" || hasNoContent || status == 204 || status == 304
        }

        var isRefused: Bool { if case .none = refusal { false } else { true } }

        /// A connection of our own begins: the first, or another because a kept one was dead.
        mutating func opened(_ descriptor: Int32) {
            openedSocket = true
            loop.sockets.opened(descriptor)
            socket = descriptor
            guard connectedAt != 0 else { return }
            noteEnd()
            connectStartedAt = MonotonicTime.now()
        }

        /// Whether TCP has its connection already, TLS perhaps not; libcurl does not tell before both are there.
        var isSocketConnected: Bool { socketIsConnected(socket) }

        /// Whether the server has closed its side: a newer libcurl looks for that once a second at most, and sends.
        private var isEndedByServer: Bool {
            guard socket >= 0 else { return false }
            // POLLRDHUP, which Glibc has for GNU sources alone.
            let ended: Int16 = 0x2000
            var place = pollfd(fd: socket, events: ended, revents: 0)
            return poll(&place, 1, 0) > 0 && place.revents & (ended | Int16(POLLHUP) | Int16(POLLERR)) != 0
        }

        /// The connection can be written to; again when libcurl repeats the request on another connection.
        ///
        /// libcurl asks for a rewind only when some of the body was written, and loses what it had read but not written:
        /// so the body always starts anew here.
        /// - Returns: Whether the request can be sent.
        mutating func connected(remoteIP: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) -> Bool {
            if connectedAt != 0 { noteEnd() }
            if wasSentBefore, firstByteAt == 0, !(wasPerhapsSeen ? mayRepeatSeen : mayRepeatUnseen) {
                refusal = .repetition
                return false
            }
            guard rewind() else { return false }
            let now = MonotonicTime.now()
            (connectedAt, lastActivity) = (now, now)
            if isSentAtOnce { sentAt = now }
            remote.update(remoteIP, remotePort)
            isNewConnection = openedSocket
            if isNewConnection {
                loop.made += 1
                if isSecure { loop.handshakes += 1 }
            }
            if !openedSocket { socket = -1 }
            connection = loop.connections.found(remoteIP, remotePort, localPort, newSocket: socket)
            socket = connection.descriptor
            // Who may repeat a request anyway need not know.
            wasDead = !isNewConnection && !mayRepeatSeen && !connection.isHTTP2 && isEndedByServer
            openedSocket = false
            if isSecure, connection.tls == nil, let details = CurlLibrary.tlsDetails(of: easy) {
                connection.tls = details
                loop.connections.note(connection)
            }
            if !keepsHTTP1, isSecure {
                // None of HTTP/1.1 is kept.
                switch isNewConnection ? cnc_easy_alpn(easy) : Int(CNC_ALPN_NEWER) {
                case Int(CNC_ALPN_HTTP1): found(.http1)
                case Int(CNC_ALPN_NEWER): found(.newer)
                default: break  // The head will tell.
                }
            }
            reportStart()
            return true
        }

        /// The server speaks a version; of HTTP/1.1 nobody uses this connection again, so that no bytes wait on it for a
        /// later request.
        mutating func found(_ version: SpokenVersion) {
            if version == .http1, !keepsHTTP1, !isForbidden {
                isForbidden = true
                cnc_easy_set_number(easy, CNCOPT_FORBID_REUSE, 1)
            }
            guard isSecure, asks || version == .http1, spoken != version else { return }
            spoken = version
            announce()
        }

        /// libcurl has given up a connection on which the request was sent, or about to be.
        private mutating func noteEnd() {
            wasSentBefore = true
            if !wasRefusedUnseen { wasPerhapsSeen = true }
            (connectedAt, sentAt) = (0, 0)
        }

        /// Whether the server has refused the request's stream, or had ended the connection before the request was sent,
        /// which means that it has done nothing with it.
        ///
        /// On a connection that was made for the request, this alone makes libcurl send it again. On a kept one the end of
        /// the connection does, too; then libcurl says what it came to know of it, and here it has nothing to say.
        var wasRefusedUnseen: Bool {
            if connectedAt != 0, isNewConnection || wasDead { return true }
            guard connection.isHTTP2, CurlLibrary.isSilentAboutRefusedStreams else { return false }
            return errorText.pointee == 0 || hasGivenUp
        }

        /// Whether libcurl has sent the request again until it was enough, and knows nothing else to say.
        var hasGivenUp: Bool { strncmp(errorText, "Connection died, tried", 22) == 0 }

        /// The head says HTTP/2.
        mutating func noteHTTP2() {
            version = "2"
            guard !connection.isHTTP2 else { return }
            connection.isHTTP2 = true
            loop.connections.note(connection)
        }
    }

    /// What the callbacks of one loop share: its sockets and connections, and what is new for the loop.
    final class LoopState {
        let sockets: SocketSet
        @exclusivity(unchecked) var connections = ConnectionTable()
        /// Connections made, and handshakes of TLS on them.
        @exclusivity(unchecked) var made = 0
        @exclusivity(unchecked) var handshakes = 0
        /// The handles of exchanges that have news for the loop which cannot wait for their end.
        @exclusivity(unchecked) var news: [Int] = []
        /// The time as of the loop's latest turn: near enough for the idle limit, and free.
        @exclusivity(unchecked) var now: Int64 = 0
        /// The one family of addresses to connect to; any where it is `AF_UNSPEC`.
        private let family: Int32

        init?(_ configuration: CurlTransport.Configuration) {
            guard let sockets = SocketSet() else { return nil }
            self.sockets = sockets
            family =
                switch configuration.addressFamily {
                case .any: AF_UNSPEC
                case .ipv4: AF_INET
                case .ipv6: AF_INET6
                }
        }

        func allows(family: Int32) -> Bool { self.family == AF_UNSPEC || family == self.family || family == AF_UNIX }

        /// What libcurl hands to the callback that closes sockets.
        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

        static func from(_ context: UnsafeMutableRawPointer) -> LoopState {
            Unmanaged.fromOpaque(context).takeUnretainedValue()
        }

        /// Closes a connection's socket.
        func close(_ descriptor: Int32) {
            connections.closed(descriptor)
            sockets.close(descriptor)
        }
    }

    /// Address and port as text, made again only when they change.
    struct RemoteAddress {
        private(set) var text: String?
        private var host = ""
        private var port: Int32 = 0

        mutating func update(_ address: UnsafePointer<CChar>?, _ port: Int32) {
            guard let address, address.pointee != 0 else { return text = nil }
            let isSame = port == self.port && host.withCString { strcmp($0, address) == 0 }
            if isSame, text != nil { return }
            host = String(cString: address)
            self.port = port
            text = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
#endif

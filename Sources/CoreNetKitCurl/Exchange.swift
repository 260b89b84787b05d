#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl
    import Glibc

    /// What libcurl's callbacks read and write for one exchange, at an address that stays while its easy handle lives.
    ///
    /// A plain value behind a pointer: the callbacks run for each header line and each piece of content, and make no
    /// reference counting, no locking and no call into libcurl.
    struct Exchange {
        /// Where the content goes.
        enum Sink {
            case memory
            case stream
            case file
        }

        /// Why a callback ended the exchange.
        enum Refusal {
            case none
            case tooLarge(limit: Int)
            case expanded
            case file(errno: Int32)
            case outOfMemory
            case headTooLarge
            /// libcurl was about to send again what the server may have seen.
            case repetition
            case upload(UploadSource.Failure)
        }

        /// The most bytes of one head; libcurl limits single lines only.
        static let headLimit = 1 << 20

        /// The bytes of the final response's head, from its status line on.
        var head = RawBytes()
        /// Collected content, or chunks on their way to a stream.
        var body = RawBytes()
        var status: Int32 = 0
        var version = "1.1"
        var headIsComplete = false
        var refusal = Refusal.none

        var upload = UploadSource.none
        /// Bytes of the body given to libcurl.
        var sent: Int64 = 0
        /// Bytes of the body that libcurl had written when the loop last looked.
        var written: Int64 = 0
        var isSendPaused = false

        var sink = Sink.memory
        /// Where the content of a 2xx response goes when a file was asked for.
        var file: Int32 = -1
        /// The most bytes to collect, or to keep waiting for a slow reader.
        var limit = 0
        /// Bytes that a reader has not taken yet, beside `body`.
        var unread = 0
        var isReceivePaused = false

        var isCompressed = false
        var contentLength: Int64 = -1
        /// Content after decompression, in all.
        var received: Int64 = 0
        /// `received` at which the decompression guard wants to look again.
        var checkpoint: Int64 = 0
        var awaitsCheck = false
        var guardRatio: Int64 = 0
        var guardLimit: Int64 = 0

        var connectStartedAt: Int64 = 0
        var connectedAt: Int64 = 0
        /// Whether libcurl gave up a connection after it may have sent the request.
        var wasConnectedBefore = false
        var mayRepeat = false
        private var localPort: Int32 = 0
        var sentAt: Int64 = 0
        var firstByteAt: Int64 = 0
        var lastActivity: Int64 = 0
        /// Whether sending ends as soon as the connection is there: the request is one small write.
        var isSentAtOnce = true
        var openedSocket = false
        var socket: Int32 = -1
        var connectionID: UInt32 = 0
        var remote = RemoteAddress()
        let board: LoopBoard
        /// Whether the loop wants to know of each piece that comes in.
        var isWatched = false

        init(board: LoopBoard) { self.board = board }

        /// Makes the state ready for the next exchange.
        mutating func reset() {
            head.free()
            body.free()
            (upload, sent, written, isSendPaused) = (.none, 0, 0, false)
            (status, headIsComplete, refusal) = (0, false, .none)
            isWatched = false
            (sink, file, limit, unread, isReceivePaused) = (.memory, -1, 0, 0, false)
            (isCompressed, contentLength, received, checkpoint, awaitsCheck) = (false, -1, 0, 0, false)
            (connectedAt, sentAt, firstByteAt, lastActivity) = (0, 0, 0, 0)
            (isSentAtOnce, openedSocket, socket, wasConnectedBefore, connectionID) = (true, false, -1, false, 0)
        }

        var isRefused: Bool { if case .none = refusal { false } else { true } }

        /// Sets where the content goes.
        mutating func receive(as receiver: Transfer.Receiver, endsAtHead: Bool) {
            switch receiver {
            case .collect(let most): limit = most
            case .stream: (sink, limit) = (.stream, ChunkPipe.capacity)
            case .file(let download): (sink, file) = (.file, download.descriptor)
            }
            isWatched = sink == .stream || endsAtHead
        }

        /// A connection of our own begins: the first, or another because a kept one was dead.
        mutating func opened(_ descriptor: Int32) {
            openedSocket = true
            board.sockets.opened(descriptor)
            socket = descriptor
            guard connectedAt != 0 else { return }
            wasConnectedBefore = true
            connectStartedAt = MonotonicTime.now()
            (connectedAt, sentAt) = (0, 0)
        }

        /// Whether TCP has its connection already, TLS perhaps not; libcurl does not tell before both are there.
        var isSocketConnected: Bool {
            var address = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
        }

        /// The connection can be written to; again when libcurl repeats the request on another connection.
        ///
        /// HTTP/2 tells which requests the server has not seen, and libcurl repeats only those; with HTTP/1.1 nobody knows.
        /// libcurl asks for a rewind only when some of the body was written, and loses what it had read but not written:
        /// so the body always starts anew here.
        /// - Returns: Whether the request can be sent.
        mutating func connected(remoteIP: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) -> Bool {
            let isRepetition = (connectedAt != 0 || wasConnectedBefore) && firstByteAt == 0
            if isRepetition, !mayRepeat, !board.isHTTP2(localPort: self.localPort) {
                refusal = .repetition
                return false
            }
            guard rewind() else { return false }
            self.localPort = localPort
            let now = MonotonicTime.now()
            (connectedAt, lastActivity) = (now, now)
            if isSentAtOnce { sentAt = now }
            remote.update(remoteIP, remotePort)
            connectionID = board.number(localPort: localPort, isNew: openedSocket)
            return true
        }

        /// The head says HTTP/2.
        mutating func noteHTTP2() {
            version = "2"
            board.noteHTTP2(localPort: localPort)
        }
    }

    /// What the callbacks of one loop share: its sockets, a flag for the loop, and numbers for connections.
    ///
    /// Numbers connections by their local port, which no two open connections to one server share.
    ///
    /// libcurl has numbers of its own only since 8.2.
    final class LoopBoard {
        let sockets: SocketSet
        /// Some exchange has news for the loop that cannot wait for its end.
        var hasNews = false
        /// The time as of the loop's latest turn: near enough for the idle limit, and free.
        var now: Int64 = 0
        private let numbers: UnsafeMutablePointer<UInt32>
        private var last: UInt32 = 0
        /// Local ports of connections that have answered with HTTP/2.
        private var http2Ports: Set<Int32> = []

        init?() {
            // From calloc, because it touches only the pages that are used.
            let bytes = MemoryLayout<UInt32>.stride
            guard let sockets = SocketSet(), let numbers = calloc(65536, bytes) else { return nil }
            self.sockets = sockets
            self.numbers = numbers.bindMemory(to: UInt32.self, capacity: 65536)
        }

        deinit { free(numbers) }

        /// 0 where there is no port: a Unix domain socket.
        func number(localPort: Int32, isNew: Bool) -> UInt32 {
            guard localPort > 0, localPort < 65536 else { return 0 }
            if isNew || numbers[Int(localPort)] == 0 {
                last &+= 1
                numbers[Int(localPort)] = last
                if !http2Ports.isEmpty { http2Ports.remove(localPort) }
            }
            return numbers[Int(localPort)]
        }

        func noteHTTP2(localPort: Int32) { http2Ports.insert(localPort) }

        func isHTTP2(localPort: Int32) -> Bool { http2Ports.contains(localPort) }
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

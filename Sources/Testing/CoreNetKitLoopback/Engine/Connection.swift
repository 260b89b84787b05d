import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitPeer

/// The state of one connection, or of an HTTP/2 stream; only the server's thread uses it.
class Connection {
    enum Phase {
        /// Reads requests; small responses are written immediately.
        case idle
        /// Waits for a handler or a delay.
        case waiting
        /// Writes a response that needs several steps.
        case responding
        case socket
        /// Sends nothing more and discards what arrives until the client is gone.
        case draining
    }

    struct Input {
        var bytes: [UInt8] = []
        var start = 0
        var isReadEnabled = true
        /// Whether the client will send nothing more.
        var isAtEnd = false

        var unread: Int { bytes.count - start }

        mutating func dropRead() {
            if start == bytes.count {
                bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
                start = 0
            } else if start > 1 << 18 {
                bytes.removeSubrange(..<start)
                start = 0
            }
        }

        /// Takes the bytes that belong to no request.
        mutating func take() -> Data {
            defer { (bytes, start) = ([], 0) }
            return Data(bytes[start...])
        }
    }

    struct Output {
        var bytes: [UInt8] = []
        var start = 0
        /// The number of bytes that the connection has sent.
        var sent = 0
        var isBlocked = false
        /// Makes further bytes of the body and returns whether there are more; `nil` at the end.
        var more: ((inout [UInt8]) -> Bool)?

        var pending: Int { bytes.count - start }
        /// The number of bytes on the wire when everything queued is sent.
        var queued: Int { sent + pending }

        mutating func dropSent() {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            start = 0
        }
    }

    struct Faults {
        /// A fault that occurs when this many bytes of the connection have been sent.
        typealias Cut = (offset: Int, action: CutAction)
        enum CutAction { case close, reset, stall(LoopbackGate?) }

        var cuts: [Cut] = []
        var isStalled = false
        /// The number of bytes sent per tick.
        var drip: Int?
        /// The number of bytes left in this tick.
        var allowance = 0
    }

    let connectionID: CommandQueue.ConnectionID
    var phase = Phase.idle
    var interest: Interest = .read

    var input = Input()
    var output = Output()
    var faults = Faults()
    var parser: RequestParser

    var finishedResponses = 0
    var closesWhenSent = false
    /// Whether the client may still be sending a body that is not read.
    var endsEarly = false

    var head = RequestParser.Head()
    var task: Task<Void, Never>?
    var peer: SocketPeer?
    #if os(Linux)
        /// The HTTP/2 streams, once the client has sent its preface.
        var http2: HTTP2ServerStreams?
    #endif

    init(connectionID: CommandQueue.ConnectionID, bodyLimit: Int) {
        self.connectionID = connectionID
        parser = RequestParser(bodyLimit: bodyLimit)
    }

    var descriptor: Int32 { connectionID.descriptor }

    func parse() -> RequestParser.Step {
        var consumed = input.start
        let step = input.bytes.withUnsafeBytes { parser.advance($0, consumed: &consumed) }
        input.start = consumed
        input.dropRead()
        return step
    }
}

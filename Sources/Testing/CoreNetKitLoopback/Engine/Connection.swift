import CoreNetKitHTTP
import CoreNetKitPeer

import CoreNetKitEssentials

/// The state of one connection; only the server's thread touches it.
final class Connection {
    enum Phase {
        /// Reads requests; small responses are written on the way.
        case idle
        /// Waits for a handler or a delay.
        case waiting
        /// Writes a response that needs several steps.
        case responding
        /// Speaks WebSocket.
        case socket
        /// Sends nothing more and discards what arrives until the client is gone.
        case draining
    }

    /// What has come and is not read yet.
    struct Input {
        var bytes: [UInt8] = []
        var start = 0
        var isWanted = true
        /// Whether the client sends nothing more.
        var isOver = false

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

        /// What has come and no request has taken.
        mutating func take() -> Data {
            defer { (bytes, start) = ([], 0) }
            return Data(bytes[start...])
        }
    }

    /// What is to be sent.
    struct Output {
        var bytes: [UInt8] = []
        var start = 0
        /// The number of bytes that the connection has sent.
        var sent = 0
        var isBlocked = false
        /// Makes the bytes of the body that are not in `bytes` yet; `nil` at the end.
        var more: ((inout [UInt8]) -> Bool)?

        var pending: Int { bytes.count - start }
        /// The number of bytes on the wire when everything queued is sent.
        var queued: Int { sent + pending }

        mutating func dropSent() {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            start = 0
        }
    }

    /// What a response does to its own way.
    struct Faults {
        /// Something to do when this many bytes of the connection have been sent.
        struct Cut {
            enum Action { case close, reset, stall(LoopbackGate?) }
            let offset: Int
            let action: Action
        }

        var cuts: [Cut] = []
        var isStalled = false
        /// How many bytes are sent in a tick.
        var drip: Int?
        /// How many of them are left in this one.
        var allowance = 0
    }

    let address: Inbox.Address
    var phase = Phase.idle
    var interest: Interest = .read

    var input = Input()
    var output = Output()
    var faults = Faults()
    var parser: RequestParser

    var finished = 0
    var closesWhenSent = false
    /// Whether the client may still be sending a body that nobody reads.
    var endsEarly = false

    var delayed: LoopbackResponse?
    var head = RequestParser.Head()
    var task: Task<Void, Never>?
    var peer: SocketPeer?

    init(address: Inbox.Address, bodyLimit: Int) {
        self.address = address
        parser = RequestParser(bodyLimit: bodyLimit)
    }

    var descriptor: Int32 { address.descriptor }

    /// Lets the parser read what has arrived.
    func parse() -> RequestParser.Step {
        var consumed = input.start
        let step = input.bytes.withUnsafeBytes { parser.advance($0, consumed: &consumed) }
        input.start = consumed
        input.dropRead()
        return step
    }
}

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

    /// Something to do when this many bytes of the connection have been sent.
    struct Cut {
        enum Action { case close, reset, stall(LoopbackGate?) }
        let offset: Int
        let action: Action
    }

    let address: Inbox.Address
    var phase = Phase.idle
    var interest: Interest = .read

    var input: [UInt8] = []
    var inputStart = 0
    var parser: RequestParser
    var reads = true
    var clientIsDone = false

    var output: [UInt8] = []
    var outputStart = 0
    var sent = 0
    var isBlocked = false
    /// Makes the bytes of the body that are not in `output` yet; `nil` at the end.
    var more: ((inout [UInt8]) -> Bool)?
    var cuts: [Cut] = []
    var isStalled = false
    var drip: Int?
    var allowance = 0
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
    var pending: Int { output.count - outputStart }
    var unread: Int { input.count - inputStart }
    /// The number of bytes on the wire when everything queued is sent.
    var queued: Int { sent + pending }

    /// Lets the parser read what has arrived.
    func parse() -> RequestParser.Step {
        var consumed = inputStart
        let step = input.withUnsafeBytes { parser.advance($0, consumed: &consumed) }
        inputStart = consumed
        if inputStart == input.count {
            input.removeAll(keepingCapacity: input.capacity <= 1 << 20)
            inputStart = 0
        } else if inputStart > 1 << 18 {
            input.removeSubrange(..<inputStart)
            inputStart = 0
        }
        return step
    }

    /// What has come and no request has taken.
    func takeInput() -> Data {
        defer { (input, inputStart) = ([], 0) }
        return Data(input[inputStart...])
    }

    func dropSentOutput() {
        output.removeAll(keepingCapacity: output.capacity <= 1 << 20)
        outputStart = 0
    }
}

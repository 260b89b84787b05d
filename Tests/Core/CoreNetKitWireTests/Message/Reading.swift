import CoreNetKitHTTP
import CoreNetKitWire

/// What a reader made of the bytes of a connection, whatever pieces they came in.
struct Reading: Hashable {
    var interim: [Int] = []
    var status: Int?
    var framing: BodyFraming?
    var keepsConnection: Bool?
    var head = ""
    var content: [UInt8] = []
    var trailers = ""
    var hasEnded = false
    var hasSwitched = false
    var fault: WireFault?
    /// Bytes behind the message.
    var left: [UInt8] = []

    var text: String { String(decoding: content, as: UTF8.self) }

    /// Reads pieces as a connection would: what was not consumed is there again, with the next piece behind it.
    ///
    init(_ reader: ResponseReader, _ pieces: [[UInt8]], isClosed: Bool = true) {
        var (reader, buffer) = (reader, [UInt8]())
        for piece in pieces {
            buffer += piece
            guard !isOver else { continue }
            var position = 0
            read(&reader, buffer, &position)
            buffer.removeFirst(position)
        }
        left = buffer
        guard isClosed, !isOver else { return }
        take(reader.close(), [])
    }

    init(_ text: String, isToHead: Bool = false, expectsUpgrade: Bool = false, isClosed: Bool = true) {
        let reader = ResponseReader(isToHead: isToHead, expectsUpgrade: expectsUpgrade)
        self.init(reader, [Array(text.utf8)], isClosed: isClosed)
    }

    private var isOver: Bool { hasEnded || hasSwitched || fault != nil }

    private mutating func read(_ reader: inout ResponseReader, _ buffer: [UInt8], _ position: inout Int) {
        while !isOver {
            let event = buffer.withUnsafeBytes { reader.next($0, &position) }
            if case .needsMore = event { return }
            take(event, buffer)
            if case .head = event { (status, framing) = (reader.head?.status, reader.head?.framing) }
            keepsConnection = reader.head?.keepsConnection
        }
    }

    private mutating func take(_ event: ResponseReader.Event, _ buffer: [UInt8]) {
        switch event {
        case .needsMore: break
        case .interim(_, let status): interim.append(status)
        case .head(let range): head = String(decoding: buffer[range], as: UTF8.self)
        case .content(let range): content += buffer[range]
        case .end(let range):
            hasEnded = true
            trailers = String(decoding: buffer[range], as: UTF8.self)
        case .switched(let range):
            hasSwitched = true
            head = String(decoding: buffer[range], as: UTF8.self)
        case .fault(let fault): self.fault = fault
        }
    }
}

extension Array<UInt8> {
    /// Itself in two pieces, cut at each place, and byte by byte.
    var splits: [[[UInt8]]] {
        indices.map { [Array(self[..<$0]), Array(self[$0...])] } + [map { [$0] }]
    }
}

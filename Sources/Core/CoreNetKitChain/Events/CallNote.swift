import CoreNetKitHTTP
import CoreNetKitSystem

/// An event of a running call: requests and response heads are read when the record is frozen, off its path.
struct CallNote: Sendable {
    let nanoseconds: Int64
    let content: Content
    let location: CallEvent.Location

    init(_ content: consuming Content, at nanoseconds: Int64, _ location: CallEvent.Location) {
        self.content = content
        self.nanoseconds = nanoseconds
        self.location = location
    }

    enum Content: Sendable {
        case callStarted(remaining: Int64?)
        case requestBuilt(HTTPMethod, url: String, Headers)
        case waitStarted(Wait)
        case waitEnded(CallEvent.Wait.Kind, CallEvent.Wait.End)
        case attemptStarted
        case attemptEnded(CallEvent.AttemptEnd)
        case sent(TransportRequest, CallEvent.ExchangeCause, hop: Int16, hidden: [String])
        case received(Received)
        case decoded(Any.Type, bytes: Int)
        case line(LogLevel, NodeID, String)
        /// Rare events, boxed because they may be large.
        indirect case other(CallEvent.Kind)

        init(_ kind: consuming CallEvent.Kind) {
            switch kind {
            case .callStarted(let remaining): self = .callStarted(remaining: remaining?.wholeNanoseconds)
            case .requestBuilt(let method, let url, let headers): self = .requestBuilt(method, url: url, headers)
            case .waitStarted(let wait): self = .waitStarted(Wait(wait))
            case .waitEnded(let kind, let end): self = .waitEnded(kind, end)
            case .attemptStarted: self = .attemptStarted
            case .attemptEnded(let end): self = .attemptEnded(end)
            case .decoded(let type, let bytes): self = .decoded(type, bytes: bytes)
            case .line(let level, let node, let message): self = .line(level, node, message)
            default: self = .other(kind)
            }
        }

        /// The content, moved out without a copy.
        mutating func moved() -> Content {
            var other = Content.attemptStarted
            swap(&self, &other)
            return other
        }
    }

    /// A wait in three machine words.
    struct Wait: Sendable {
        private static let none = Int64.min

        let kind: CallEvent.Wait.Kind
        private let isLeading: Bool
        private let ahead: Int32
        private let planned: Int64
        private let askedByServer: Int64

        init(_ wait: CallEvent.Wait) {
            kind = wait.kind
            isLeading = wait.isLeading
            ahead = wait.ahead.map { Int32(clamping: max($0, 0)) } ?? -1
            planned = wait.planned?.wholeNanoseconds ?? Self.none
            askedByServer = wait.askedByServer?.wholeNanoseconds ?? Self.none
        }

        var full: CallEvent.Wait {
            CallEvent.Wait(
                kind,
                ahead: ahead < 0 ? nil : Int(ahead),
                planned: planned == Self.none ? nil : .nanoseconds(planned),
                askedByServer: askedByServer == Self.none ? nil : .nanoseconds(askedByServer),
                isLeading: isLeading
            )
        }
    }

    struct Received: Sendable {
        private static let none = Int64.min

        let head: LazyHead
        let isWhole: Bool
        private let size: Int64

        init(_ response: TransportResponse, isOpen: Bool = false) {
            head = response.lazyHead
            let body = response.bodyState
            size = body.size ?? Self.none
            isWhole = !isOpen && !body.isStream
        }

        var bodySize: Int64? { size == Self.none ? nil : size }
    }

    func isOf(_ location: CallEvent.Location) -> Bool {
        self.location.attempt == location.attempt && self.location.branch == location.branch
    }

    /// The events that this note represents, with their secrets.
    func events(_ take: (CallEvent) -> Void) {
        func event(_ kind: CallEvent.Kind) { take(CallEvent(kind, at: nanoseconds, location)) }
        switch content {
        case .callStarted(let remaining): event(.callStarted(remaining: remaining.map { .nanoseconds($0) }))
        case .requestBuilt(let method, let url, let headers):
            event(.requestBuilt(method: method, url: url, headers: headers))
        case .waitStarted(let wait): event(.waitStarted(wait.full))
        case .waitEnded(let kind, let end): event(.waitEnded(kind, end))
        case .attemptStarted: event(.attemptStarted)
        case .attemptEnded(let end): event(.attemptEnded(end))
        case .sent(let request, let cause, let hop, let hidden):
            var sent = CallEvent.SentRequest(request, cause: cause, hop: Int(hop))
            sent.headers.hide(hidden, by: request.secrets)
            event(.exchangeStarted(sent))
        case .received(let received):
            event(.phases(received.head.timings))
            event(.responseHead(.init(received.head, bodySize: received.bodySize)))
            if received.isWhole { event(.exchangeEnded(.init(.complete, bytesRead: received.bodySize))) }
        case .decoded(let type, let bytes): event(.decoded(type, bytes: bytes))
        case .line(let level, let node, let message): event(.line(level, node, message))
        case .other(let kind): event(kind)
        }
    }
}

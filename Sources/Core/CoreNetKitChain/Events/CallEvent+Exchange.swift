public import CoreNetKitEssentials
public import CoreNetKitHTTP

extension CallEvent {
    /// Why a request went to the wire.
    public enum ExchangeCause: UInt8, Sendable, Hashable, CustomStringConvertible {
        /// It is the first request of the call.
        case first
        /// The previous attempt had failed.
        case retry
        /// The previous response redirected here.
        case redirect
        /// The first request was slow.
        case hedge
        /// The previous response was rejected and the request was changed: a new token.
        case again

        /// The cause in a word.
        public var description: String {
            switch self {
            case .first: "first"
            case .retry: "retry"
            case .redirect: "redirect"
            case .hedge: "hedge"
            case .again: "again"
            }
        }
    }

    /// A request as it was sent.
    public struct SentRequest: Sendable {
        /// The form of a request's content.
        public enum BodyKind: UInt8, Sendable, Hashable {
            /// No content.
            case none
            /// Bytes in memory.
            case bytes
            /// A file.
            case file
            /// A stream.
            case stream
        }

        /// The request method.
        public internal(set) var method: HTTPMethod
        /// The absolute URL, without secrets once it is in a record.
        public internal(set) var url: String
        /// The origin that the call names, if ``url`` is the one of a member (`Endpoints`).
        public var logicalOrigin: String? { member?.logical }
        /// The member of a logical origin that got the request.
        package internal(set) var member: EndpointNames?
        /// The field lines, without secrets once they are in a record.
        public internal(set) var headers: Headers
        /// The form of the content.
        public internal(set) var bodyKind: BodyKind
        /// The number of bytes of the content, if known.
        public internal(set) var bodySize: Int64?
        /// The content, if the recorder keeps contents; without secrets once it is in a record.
        public internal(set) var body: Data?
        /// Whether ``body`` is only the beginning of the content.
        public internal(set) var isBodyCut = false
        /// Whether ``headers`` are all fields that were sent, including those that the transport added.
        public internal(set) var hasAllHeaders = false
        /// Why the request was sent.
        public internal(set) var cause: ExchangeCause
        /// How many redirects led here.
        public internal(set) var hop: Int

        /// The request with the fields that the transport reports as sent.
        package func sent(with headers: Headers) -> SentRequest {
            var copy = self
            copy.headers = headers
            copy.hasAllHeaders = true
            return copy
        }

        /// A request that never reached the wire.
        package init(method: HTTPMethod, url: String, headers: Headers) {
            self.method = method
            self.url = url
            self.headers = headers
            (bodyKind, cause, hop) = (.none, .first, 0)
        }

        package init(_ request: TransportRequest, cause: ExchangeCause = .first, hop: Int = 0, keeping limit: Int = 0) {
            method = request.method
            url = request.urlText
            member = request.endpoint
            headers = request.headers
            self.cause = cause
            self.hop = hop
            switch request.body.content {
            case .empty: (bodyKind, bodySize) = (.none, 0)
            case .bytes(let data):
                (bodyKind, bodySize) = (.bytes, Int64(data.count))
                if limit > 0 { (body, isBodyCut) = (data.start(limit), data.count > limit) }
            case .file: (bodyKind, bodySize) = (.file, nil)
            case .stream(let length, _, _, _): (bodyKind, bodySize) = (.stream, length)
            }
        }
    }

    /// The head of a response.
    public struct ReceivedHead: Sendable {
        /// The status code.
        public internal(set) var status: Int
        /// The field lines, without secrets once they are in a record.
        public internal(set) var headers: Headers
        /// The number of bytes of the content after decompression, if it came with the head.
        public internal(set) var bodySize: Int64?
        /// The content, if the recorder keeps contents; without secrets once it is in a record.
        public internal(set) var body: Data?
        /// Whether ``body`` is only the beginning of the content.
        public internal(set) var isBodyCut = false
        /// The fields that were sent, if the recorder keeps contents and the transport reports them; without secrets once
        /// they are in a record.
        public internal(set) var sentHeaders: Headers?

        init(_ head: LazyHead, bodySize: Int64?) {
            status = Int(head.status)
            headers = head.headers
            self.bodySize = bodySize
        }

        package init(_ response: TransportResponse, keeping limit: Int = 0) {
            status = response.status
            headers = response.headers
            if let data = response.body.data {
                bodySize = Int64(data.count)
                if limit > 0 { (body, isBodyCut) = (data.start(limit), data.count > limit) }
            }
            if limit > 0 { sentHeaders = response.sentHeaders }
        }
    }

    /// How an exchange ended.
    public struct ExchangeEnd: Sendable {
        /// The outcome of the response.
        public enum Result: UInt8, Sendable, Hashable {
            /// It was read to its end, or delivered as a whole.
            case complete
            /// It broke, or never arrived.
            case failed
            /// Its reader stopped reading, or the call was cancelled.
            case cancelled
        }

        /// The outcome of the response.
        public internal(set) var result: Result
        /// The bytes of the content that were read, after decompression, if they were counted.
        public internal(set) var bytesRead: Int64?
        /// The class of failure.
        public internal(set) var code: NetworkError.Code?
        /// The part of the exchange that failed.
        public internal(set) var phase: TransportError.Phase?
        /// The message of the failure, without secrets once it is in a record.
        public internal(set) var message: String?
        /// The traffic of a connection that became a WebSocket.
        public internal(set) var socket: SocketEnd?

        package init(_ result: Result, bytesRead: Int64? = nil) {
            self.result = result
            self.bytesRead = bytesRead
        }

        package init(_ error: any Error, bytesRead: Int64? = nil) {
            self.init(error is CancellationError ? .cancelled : .failed, bytesRead: bytesRead)
            if let failure = NetworkError.wrapping(error, node: .transport, code: .transportFailed) {
                (code, phase, message) = (failure.code, failure.phase, failure.message)
            }
        }
    }

    /// The maximum number of bytes of a content that a record keeps; longer contents are cut before they are queued.
    static let contentLimit = 64 << 10

    /// The memory cost of an event, without contents and lines.
    static let roughSize = 256

    var roughSize: Int { Self.roughSize + kind.textBytes }
}

extension CallEvent.Kind {
    /// Bytes of contents and lines.
    var textBytes: Int {
        switch self {
        case .exchangeStarted(let sent): sent.body?.count ?? 0
        case .responseHead(let head): head.body?.count ?? 0
        case .socketMessage(let message): message.content?.count ?? 0
        case .line(_, _, let message): message.utf8.count
        default: 0
        }
    }
}

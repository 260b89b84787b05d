public import CoreNetKitEssentials

/// One HTTP request, ready for the wire.
public struct TransportRequest: Sendable {
    /// All fields in one object, so that passing a request on costs one reference.
    ///
    /// `@unchecked Sendable`: it is changed only through its single reference.
    private final class Storage: @unchecked Sendable {
        // Changed only through a single reference, so exclusivity need not be checked.
        @exclusivity(unchecked) var fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private struct Fields: Sendable {
        var method: HTTPMethod
        var url: URL { didSet { text = nil } }
        /// The text of the URL, if the creator of the request had it: reading it from the URL is expensive.
        var text: String?
        /// With it, `text` is the URL of a member, and `url` the one of the logical origin.
        var endpoint: EndpointNames?
        var headers: Headers
        var body: RequestBody
        var timeouts: Timeouts
        var delivery: ResponseDelivery
        var coding = ContentCoding.automatic
        var monitor: ExchangeMonitor?
        var reportsSentHeaders = false
        var secrets = SecretRules.standard
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
            yield &storage.fields
        }
    }

    /// Creates a request; only the URL has no default.
    public init(
        method: HTTPMethod = .get,
        url: URL,
        headers: Headers = [:],
        body: RequestBody = .empty,
        timeouts: Timeouts = .init(),
        delivery: ResponseDelivery = .collect
    ) { self.init(method, url, text: nil, headers, body, timeouts, delivery) }

    package init(
        _ method: HTTPMethod,
        _ url: URL,
        text: String?,
        _ headers: Headers,
        _ body: RequestBody,
        _ timeouts: Timeouts,
        _ delivery: ResponseDelivery
    ) {
        storage = Storage(
            Fields(
                method: method,
                url: url,
                text: text,
                headers: headers,
                body: body,
                timeouts: timeouts,
                delivery: delivery
            )
        )
    }

    /// The same request with another total limit, changed in one step because a change by reference costs two frames.
    package func limited(to total: Duration) -> TransportRequest {
        let copy = TransportRequest(storage: Storage(storage.fields))
        copy.storage.fields.timeouts.total = total
        return copy
    }

    /// The same request for a member of its logical origin, by the text of its URL: parsing that is expensive.
    package func sent(to endpoint: EndpointNames) -> TransportRequest? {
        var text = urlText
        guard let end = endpoint.origin.end(in: text, usual: endpoint.logical) else { return nil }
        text = endpoint.member + text.withUTF8 { String(decoding: $0[end...], as: UTF8.self) }
        let copy = TransportRequest(storage: Storage(storage.fields))
        copy.storage.fields.text = text
        copy.storage.fields.endpoint = endpoint
        return copy
    }

    package var logical: TransportRequest {
        guard storage.fields.endpoint != nil else { return self }
        let copy = TransportRequest(storage: Storage(storage.fields))
        copy.storage.fields.text = nil
        copy.storage.fields.endpoint = nil
        return copy
    }

    private init(storage: Storage) { self.storage = storage }

    /// The request method.
    public var method: HTTPMethod {
        get { storage.fields.method }
        _modify { yield &fields.method }
    }
    /// An absolute `http` or `https` URL; its fragment is not sent.
    ///
    /// `http+unix://%2Frun%2Fapp.sock/path` goes through a Unix domain socket, `https+unix:` with TLS; that needs
    /// `TransportCapabilities.unixSockets`.
    public var url: URL {
        get { storage.fields.endpoint == nil ? storage.fields.url : memberURL }
        _modify {
            if storage.fields.endpoint != nil { fields.url = memberURL }
            yield &fields.url
        }
    }
    private var memberURL: URL { storage.fields.text.flatMap { URL(string: $0) } ?? storage.fields.url }
    /// The URL as the call names it, read in place: of the logical origin, if a member gets the request.
    package var namedURL: URL { storage.fields.url }
    /// The member that gets the request, if its origin is a logical one.
    package var endpoint: EndpointNames? { storage.fields.endpoint }
    package var urlText: String { storage.fields.text ?? storage.fields.url.absoluteString }
    /// Field lines; the transport sets `Host`, `Content-Length` and `Transfer-Encoding`.
    public var headers: Headers {
        get { storage.fields.headers }
        _modify { yield &fields.headers }
    }
    /// The content.
    public var body: RequestBody {
        get { storage.fields.body }
        _modify { yield &fields.body }
    }
    /// Limits of this exchange.
    public var timeouts: Timeouts {
        get { storage.fields.timeouts }
        _modify { yield &fields.timeouts }
    }
    package var isGet: Bool { storage.fields.method == .get }
    package var isBodyInMemory: Bool { storage.fields.body.isInMemory }
    /// How the response's content is delivered.
    public var delivery: ResponseDelivery {
        get { storage.fields.delivery }
        _modify { yield &fields.delivery }
    }
    /// Which codings the response's content may have; anything but `automatic` needs
    /// `TransportCapabilities.identityCoding`.
    public var coding: ContentCoding {
        get { storage.fields.coding }
        _modify { yield &fields.coding }
    }
    /// The monitor that follows the exchange while it runs; needs `TransportCapabilities.progress`.
    public var monitor: ExchangeMonitor? {
        get { storage.fields.monitor }
        _modify { yield &fields.monitor }
    }
    /// Whether the response should report the fields that were actually sent; needs
    /// `TransportCapabilities.sentHeaders`.
    public var reportsSentHeaders: Bool {
        get { storage.fields.reportsSentHeaders }
        _modify { yield &fields.reportsSentHeaders }
    }
    package var secrets: SecretRules {
        get { storage.fields.secrets }
        _modify { yield &fields.secrets }
    }
}

package final class EndpointNames: Sendable {
    package let origin: Origin
    package let logical: String
    package let member: String

    package init(_ origin: Origin, member: String) {
        (self.origin, self.member, logical) = (origin, member, origin.description)
    }
}

extension TransportRequest: CustomReflectable {
    /// Method, URL and fields without secrets, and the kind of the content.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "url": Redaction.url(url, by: secrets),
                "headers": Redaction.lines(headers, by: secrets), "delivery": delivery, "timeouts": timeouts,
            ],
            displayStyle: .struct
        )
    }
}

extension TransportRequest {
    /// Which content codings a response may have on the wire.
    public enum ContentCoding: Sendable, Hashable {
        /// The codings that the transport decodes; none for a request with a `Range`, because a part cannot be decoded.
        case automatic
        /// None: the content is delivered undecoded, for ranges, digests and stores.
        case identity
    }
}

/// How long each part of one exchange may take; `nil` sets no limit.
///
/// Millisecond precision on every transport. Values of zero or less are rejected as `invalidRequest`.
public struct Timeouts: Sendable, Hashable {
    /// From start to a connection that can be written to: name look-up, TCP, TLS.
    public var connect: Duration?
    /// From the last byte of the request to the first byte of the response.
    public var firstByte: Duration?
    /// The longest silence in either direction while the request is sent or the response is read.
    public var idle: Duration?
    /// The whole exchange, including the wait for a free connection.
    public var total: Duration?

    /// Creates limits; the defaults are connect 10 s, first byte 30 s, idle 30 s, no total.
    public init(
        connect: Duration? = .seconds(10),
        firstByte: Duration? = .seconds(30),
        idle: Duration? = .seconds(30),
        total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
    }
}

/// How a transport delivers the response's content.
public enum ResponseDelivery: Sendable, Hashable {
    /// Collects the content; more than `limit` bytes after decompression fail with `responseTooLarge`.
    case collect(limit: Int)
    /// Returns when the head has arrived; the chunks follow on demand, with back-pressure to the server.
    case stream
    /// Writes the content to a file as it arrives; a failed exchange leaves no file behind.
    ///
    /// Only the content of a 2xx response goes to the file; any other is collected, so that its error can be read.
    /// `CurlTransport` drops an error's content that takes longer than ten seconds.
    case file(URL)
    /// Reads the content to its end and discards it as it arrives, whatever its size; the response has no bytes.
    ///
    /// Only the content of a 2xx response is discarded; any other is collected, so that its error can be read.
    case discard
    /// Asks for another protocol on the same connection, and returns the connection with a response of status 101.
    ///
    /// It needs `TransportCapabilities.duplex`, HTTP/1.1 and the fields `Connection: Upgrade` and `Upgrade`, which the
    /// request carries. A response of any other status has its content collected. The limits ``Timeouts/idle`` and
    /// ``Timeouts/total`` end with the head: then the holder of the connection decides when it ends.
    case duplex

    /// Collects up to 64 MiB.
    public static let collect = ResponseDelivery.collect(limit: 64 << 20)

    /// Whether the response is complete when it is returned, so that it can be read more than once.
    package var isCollected: Bool {
        switch self {
        case .collect, .discard: true
        case .stream, .file, .duplex: false
        }
    }

    /// Whether the content goes to a file, which two requests must not write at once.
    package var isFile: Bool { if case .file = self { true } else { false } }
}

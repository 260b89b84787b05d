public import CoreNetKitEssentials
import Synchronization

/// One HTTP response as received from the wire, whatever its status.
public struct TransportResponse: Sendable {
    private var storage: Storage

    private var unique: Storage {
        mutating get {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
            return storage
        }
    }

    /// Creates a response, for transports and mocks.
    public init(
        status: Int,
        headers: Headers = [:],
        body: ResponseBody = .bytes(Data()),
        url: URL,
        timings: TransportTimings = .init()
    ) {
        storage = Storage(status: status, body: body, url: url, source: nil)
        storage.headers = headers
        (storage.timings, storage.hasTimings) = (timings, true)
    }

    package init(status: Int, body: ResponseBody, url: URL, source: any ResponseSource) {
        storage = Storage(status: status, body: body, url: url, source: source)
    }

    /// Whether the content still has to be read, and its size if it is in memory; does not copy it.
    package var bodyState: (isStream: Bool, size: Int64?) {
        switch storage.body {
        case .bytes(let data): (false, Int64(data.count))
        case .stream, .duplex: (true, nil)
        case .file: (false, nil)
        }
    }

    package var lazyHead: LazyHead {
        let replacement =
            storage.isGiven ? LazyHead.Replacement(headers: storage.headers, timings: storage.timings) : nil
        let status = Int16(truncatingIfNeeded: storage.status)
        return LazyHead(replacement: replacement, source: storage.source, status: status)
    }

    /// The final status code, 200...999.
    public var status: Int {
        get { storage.status }
        set { unique.status = newValue }
    }
    /// Field lines in wire order.
    public var headers: Headers {
        get { storage.headers ?? storage.readHeaders() }
        _modify {
            let storage = unique
            var headers = storage.headers ?? storage.readHeaders()
            storage.headers = nil
            defer { storage.headers = headers }
            yield &headers
        }
    }
    /// The content.
    public var body: ResponseBody {
        get { storage.body }
        set { unique.body = newValue }
    }
    /// The URL that sent the response.
    public var url: URL {
        get { storage.url }
        set { unique.url = newValue }
    }
    /// The timings of the exchange on the wire.
    public var timings: TransportTimings {
        get { storage.timings ?? storage.source?.timings ?? .init() }
        set {
            let storage = unique
            (storage.timings, storage.hasTimings) = (newValue, true)
        }
    }
    package var httpVersion: String? {
        storage.hasTimings ? storage.timings?.httpVersion : storage.source?.httpVersion
    }
    /// Whether that is 1.1, read for the statistics of each response.
    package var isHTTP11: Bool {
        storage.hasTimings ? storage.timings?.httpVersion == "1.1" : storage.source?.isHTTP11 ?? false
    }
    /// The reason phrase; empty if there is none, as in HTTP/2.
    public var reason: String {
        get { storage.reason ?? storage.source?.reason ?? "" }
        set { unique.reason = newValue }
    }
    /// Whether the content was encoded on the wire and has been decoded: the fields still describe the encoded content.
    public var isDecoded: Bool {
        get { storage.isDecoded }
        set { unique.isDecoded = newValue }
    }
    /// Whether the content's end is marked on the wire, by a length, a last chunk or the end of an HTTP/2 stream.
    ///
    /// Then content that ended without an error is complete. Otherwise the content ended with the connection, and a
    /// part of it may be missing.
    public var isDelimited: Bool {
        get { storage.isDelimited }
        set { unique.isDelimited = newValue }
    }
    /// The reason why the content is incomplete; `nil` for content that did not fail.
    ///
    /// Setting it clears ``isDelimited``. A transport returns it with a status of 300 or above: a success without its
    /// content is an error. Such a response is not stored, shared or recorded as complete.
    public var contentFailure: TransportError? {
        get {
            guard var failure = attributes[ContentFailureKey.self] else { return nil }
            failure.response = self
            return failure
        }
        set {
            var failure = newValue
            // It would retain this response a second time.
            failure?.response = nil
            attributes[ContentFailureKey.self] = failure
            if failure != nil { isDelimited = false }
        }
    }
    /// Fields after the content; for a stream they are in its ``ResponseStream/ending``.
    public var trailers: Headers {
        get { storage.trailers }
        set { unique.trailers = newValue }
    }
    /// Earlier informational responses, in their order.
    public var interim: [InterimResponse] {
        get { storage.interim }
        set { unique.interim = newValue }
    }
    /// The request's fields as they were actually sent, if the request asks for them.
    public var sentHeaders: Headers? {
        get { storage.sentHeaders }
        set { unique.sentHeaders = newValue }
    }
    /// Values that nodes and transports add to a response, each under its own key.
    public var attributes: Attributes {
        get { storage.attributes }
        _modify { yield &unique.attributes }
    }
}

/// Stored as an attribute, because it is rare and timings have no fixed size, which every response would pay for.
private enum ContentFailureKey: Attributes.Key {
    typealias Value = TransportError
}

extension TransportResponse {
    /// The outcome of an exchange whose content failed after this head, the rule for all transports: a refusal or a
    /// redirect with what arrived and the failure; after a success, and if the call or the transport is over, the
    /// failure is thrown with this response.
    package func failing(_ failure: TransportError) throws(TransportError) -> TransportResponse {
        var (response, failure) = (self, failure)
        response.isDelimited = false
        guard status >= 300, !failure.endsCall, failure.code != .shutDown else {
            failure.response = response
            throw failure
        }
        response.contentFailure = failure
        return response
    }
}

/// A transport's source of a response's values, read on first access.
package protocol ResponseSource: AnyObject, Sendable {
    var headers: Headers { get }
    var timings: TransportTimings { get }
    var httpVersion: String? { get }
    /// Whether that is 1.1, read for the statistics of each response.
    var isHTTP11: Bool { get }
    var reason: String { get }
}

extension ResponseSource {
    package var httpVersion: String? { timings.httpVersion }
    package var isHTTP11: Bool { httpVersion == "1.1" }
}

extension TransportResponse {
    /// `@unchecked Sendable`: it is changed only through its single reference; values that several readers may compute
    /// concurrently are atomic.
    private final class Storage: @unchecked Sendable {
        private final class Read: Sendable {
            let headers: Headers
            init(_ headers: Headers) { self.headers = headers }
        }

        // Changed only through a single reference, so exclusivity need not be checked.
        @exclusivity(unchecked) var status: Int
        @exclusivity(unchecked) var headers: Headers?
        @exclusivity(unchecked) var body: ResponseBody
        @exclusivity(unchecked) var url: URL
        @exclusivity(unchecked) var timings: TransportTimings?
        /// Whether timings were set: they have no fixed size, so checking them costs more than this flag.
        @exclusivity(unchecked) var hasTimings = false
        @exclusivity(unchecked) var reason: String?
        @exclusivity(unchecked) var isDecoded = false
        @exclusivity(unchecked) var isDelimited = true
        @exclusivity(unchecked) var trailers = Headers()
        @exclusivity(unchecked) var interim: [InterimResponse] = []
        @exclusivity(unchecked) var sentHeaders: Headers?
        @exclusivity(unchecked) var attributes = Attributes()
        let source: (any ResponseSource)?
        private let read = AtomicLazyReference<Read>()

        init(status: Int, body: ResponseBody, url: URL, source: (any ResponseSource)?) {
            self.status = status
            self.body = body
            self.url = url
            self.source = source
        }

        convenience init(copying other: Storage) {
            self.init(status: other.status, body: other.body, url: other.url, source: other.source)
            headers = other.headers ?? other.read.load()?.headers
            (timings, reason, isDecoded, isDelimited) = (
                other.timings, other.reason, other.isDecoded, other.isDelimited
            )
            hasTimings = other.hasTimings
            (trailers, interim, sentHeaders) = (other.trailers, other.interim, other.sentHeaders)
            attributes = other.attributes
        }

        /// Whether fields or timings are known without the source; read for every record, so nothing is copied.
        var isGiven: Bool { hasTimings || headers != nil }

        func readHeaders() -> Headers {
            if let read = read.load() { return read.headers }
            guard let source else { return Headers() }
            return read.storeIfNil(Read(source.headers)).headers
        }
    }
}

extension TransportResponse: CustomReflectable {
    /// Status, URL and fields without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "url": Redaction.url(url, by: secrets),
                "headers": Redaction.lines(headers, by: secrets),
            ],
            displayStyle: .struct
        )
    }
}

package struct LazyHead: Sendable {
    fileprivate final class Replacement: Sendable {
        let headers: Headers?
        let timings: TransportTimings?

        init(headers: Headers?, timings: TransportTimings?) {
            self.headers = headers
            self.timings = timings
        }
    }

    fileprivate let replacement: Replacement?
    fileprivate let source: (any ResponseSource)?
    package let status: Int16

    package var headers: Headers { replacement?.headers ?? source?.headers ?? Headers() }
    package var httpVersion: String? { replacement?.timings.map { $0.httpVersion } ?? source?.httpVersion }
    package var timings: TransportTimings { replacement?.timings ?? source?.timings ?? .init() }
}

extension TransportResponse {
    package init(_ head: LazyHead, url: URL) {
        self.init(status: Int(head.status), headers: head.headers, url: url, timings: head.timings)
    }
}

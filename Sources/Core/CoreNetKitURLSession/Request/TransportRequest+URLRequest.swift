public import CoreNetKitHTTP
import CoreNetKitSystem

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension TransportRequest {
    /// Converts a finished `URLRequest`, so that a program can migrate call by call.
    ///
    /// Method, URL, fields and content are the same; fields are sorted by name, since `URLRequest` keeps no order, and
    /// `Content-Length`, `Transfer-Encoding` and a `Host` equal to the URL's are left to the transport. `timeoutInterval`
    /// limits silence, as it does there: before a connection, before the first byte, and between two. An `InputStream` is
    /// read while it is sent, once.
    ///
    /// Settings that a chain replaces with policies are ignored: `cachePolicy` (a cache), `httpShouldHandleCookies` (a
    /// cookie jar), `networkServiceType`.
    ///
    /// - Throws: `TransportError` with code `invalidRequest` if there is no URL, and `unsupported` if the request itself
    ///   forbids a network that its session may use: that is a setting of ``URLSessionTransport/Configuration``.
    public init(_ request: URLRequest) throws(TransportError) {
        guard let url = request.url else { throw FieldCheck.invalid("the URLRequest has no URL") }
        if let network = request.forbiddenNetwork {
            throw TransportError.unsupported(
                "the URLRequest forbids \(network) networks; set that in URLSessionTransport.Configuration"
            )
        }
        var headers = Headers(
            (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        let length = headers["Content-Length"].flatMap(Int64.init)
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        if let host = headers["Host"], url.isAuthority(host) { headers.remove("Host") }
        self.init(
            method: HTTPMethod(rawValue: request.httpMethod ?? "GET"),
            url: url,
            headers: headers,
            body: request.content(length: length),
            timeouts: request.timeouts
        )
    }
}

extension URLRequest {
    /// Makes a `URLRequest` from a request, for code that has not migrated yet.
    ///
    /// Repeated fields are joined, as `URLRequest` has one value per name; the shortest of `connect`, `firstByte` and
    /// `idle` becomes `timeoutInterval`, and `total` is lost. A file is read while it is sent; a stream of at most `limit`
    /// bytes is read to its end first, because `URLSession` reads bytes with a call that must not block. The request has no
    /// cookies.
    /// - Throws: `TransportError` with code `invalidRequest` for a request that no transport can send,
    ///   `requestBodyFailed` for an unreadable file or a stream that is too long; errors of the stream.
    public init(_ request: TransportRequest, limit: Int = 64 << 20) async throws {
        try request.validate()
        guard request.body.trailers.isEmpty else { throw TransportError.unsupported("a URLRequest has no trailers") }
        self = RequestPlan.urlRequest(for: request)
        let silence = PhaseLimit.allCases.compactMap { $0 == .total ? nil : request.timeouts[$0] }.min()
        timeoutInterval = silence.map { Double($0.wholeMilliseconds) / 1000 } ?? 604_800
        if let file = request.body.fileURL {
            let body = try UploadBody.checkedFile(file)
            if case .none = body, RequestPlan.Body.ofUnsized(file) == nil { return }
            httpBodyStream = InputStream(url: file)
            if body.count > 0 { setValue("\(body.count)", forHTTPHeaderField: "Content-Length") }
        } else if !request.body.isEmpty {
            httpBody = try await request.body.collect(limit: limit)
        }
    }
}

extension URLRequest {
    /// The network that this request itself must not use.
    fileprivate var forbiddenNetwork: String? {
        #if !canImport(FoundationNetworking)
            if !allowsExpensiveNetworkAccess { return "expensive" }
            if !allowsConstrainedNetworkAccess { return "constrained" }
        #endif
        return allowsCellularAccess ? nil : "cellular"
    }

    fileprivate var timeouts: Timeouts {
        guard timeoutInterval.isFinite, timeoutInterval > 0, timeoutInterval < 1e9 else { return Timeouts(phases: nil) }
        return Timeouts(phases: .milliseconds(max(1, Int64(timeoutInterval * 1000))))
    }

    fileprivate func content(length: Int64?) -> RequestBody {
        if let httpBody { return .bytes(httpBody) }
        guard let httpBodyStream else { return .empty }
        let source = InputSource(httpBodyStream)
        return .stream(length: length) { InputChunks(source: source) }
    }
}

extension URL {
    /// Whether the text is this URL's host, with its port or without the default one.
    fileprivate func isAuthority(_ text: String) -> Bool {
        guard let host else { return false }
        let place = host.contains(":") ? "[\(host)]" : host
        let usual = scheme?.lowercased() == "https" ? 443 : 80
        let names =
            port.map { $0 == usual ? [place, "\(place):\($0)"] : ["\(place):\($0)"] } ?? [place, "\(place):\(usual)"]
        return names.contains { $0.lowercased() == text.lowercased() }
    }
}

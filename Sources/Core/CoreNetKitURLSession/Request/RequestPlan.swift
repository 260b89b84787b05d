import CoreNetKitHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A validated request in `URLSession`'s terms.
struct RequestPlan: Sendable {
    enum Body: Sendable {
        case ready(UploadBody)
        case stream(length: Int64?, open: @Sendable () -> any AsyncSequence<Data, any Error>)

        /// The content of a file of reported size 0, such as those in `/proc`; `nil` if it is really empty.
        static func ofUnsized(_ url: URL) -> Body? {
            guard (try? DescriptorFile(reading: url.path).read(at: 0, count: 1)) != nil else { return nil }
            return .stream(length: nil) {
                InputChunks(source: InputSource(InputStream(url: url) ?? InputStream(data: Data())))
            }
        }
    }

    let urlRequest: URLRequest
    let body: Body
    let url: URL
    let host: String
    let timeouts: Timeouts
    let delivery: ResponseDelivery
    let monitor: ExchangeMonitor?

    /// - Throws: `TransportError` with code `invalidRequest`, `unsupported` or `requestBodyFailed`; nothing was sent.
    init(_ request: TransportRequest) throws(TransportError) {
        host = try Self.host(of: request)
        body = try Self.body(of: request)
        url = request.url
        timeouts = request.timeouts
        delivery = request.delivery
        monitor = request.monitor
        urlRequest = Self.urlRequest(for: request)
        let method = request.method
        if hasBody, method == .get || method == .head {
            throw TransportError.unsupported("URLSession sends no body with \(method); use another method or transport")
        }
        guard urlRequest.httpMethod == method.rawValue else {
            let other = urlRequest.httpMethod ?? "GET"
            throw TransportError.unsupported("URLSession changes the method \(method) to \(other)")
        }
        let next = hasBody ? PhaseLimit.idle : .firstByte
        guard timeouts.connect == nil || timeouts[next] != nil else {
            throw TransportError.unsupported(
                "URLSession cannot limit connect alone; set \(next.rawValue) too, or connect to nil"
            )
        }
    }

    var hasBody: Bool { if case .ready(.none) = body { false } else { true } }

    /// Scheme, host and port of a valid request: the key of its queue.
    private static func host(of request: TransportRequest) throws(TransportError) -> String {
        try request.validate()
        let origin = Origin(request.url)
        #if canImport(FoundationNetworking)
            guard !origin.host.hasPrefix("[") else {
                throw .unsupported("URLSession on Linux does not accept an IPv6 address as the host; use a name")
            }
        #endif
        return "\(origin.scheme)://\(origin.host):\(origin.port)"
    }

    private static func body(of request: TransportRequest) throws(TransportError) -> Body {
        if case .file(let url) = request.delivery, !url.isFileURL {
            throw FieldCheck.invalid("the URL of the file to write is not a file URL")
        }
        switch request.body.content {
        case .empty: return .ready(.none)
        case .bytes(let data): return .ready(data.isEmpty ? .none : .data(data))
        case .file(let url):
            let file = try UploadBody.checkedFile(url)
            if case .none = file, let body = Body.ofUnsized(url) { return body }
            return .ready(file)
        case .stream(let length, _, let open, _): return .stream(length: length, open: open)
        }
    }

    static func urlRequest(for request: TransportRequest) -> URLRequest {
        // A normalised host is unchanged.
        let respelled = Origin.respelled(request.url.absoluteString)?.text
        var result = URLRequest(url: respelled.flatMap { URL(string: $0) } ?? request.url)
        result.httpMethod = request.method.rawValue
        result.httpShouldHandleCookies = false
        result.timeoutInterval = 604_800
        if !request.headers.contains("User-Agent") { result.setValue("CoreNetKit", forHTTPHeaderField: "User-Agent") }
        // A part of encoded content could not be decoded.
        if request.headers.contains("Range"), !request.headers.contains("Accept-Encoding") {
            result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        // URLSession accepts only one value per name.
        var names: [String] = []
        for field in request.headers where !names.contains(where: { Headers.matches($0, field.name) }) {
            names.append(field.name)
            let separator = Headers.matches(field.name, "Cookie") ? "; " : ", "
            let value = request.headers[values: field.name].joined(separator: separator)
            result.setValue(FieldCheck.isBlank(value) ? "" : value, forHTTPHeaderField: field.name)
        }
        return result
    }
}

extension TransportError {
    /// The refusal of features that the platform's `URLSession` lacks; nothing was sent.
    static func unsupported(_ message: String) -> TransportError {
        TransportError(.unsupported, phase: .queue, message: message)
    }
}

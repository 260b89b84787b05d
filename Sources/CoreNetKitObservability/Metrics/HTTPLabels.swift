#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitChain
import CoreNetKitHTTP

/// What OpenTelemetry's conventions want to know of an exchange, metrics and traces alike.
///
/// - SeeAlso: [HTTP client spans](https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client)
struct HTTPLabels: Hashable, Comparable, Sendable {
    let method: String
    let address: String
    let port: Int
    let status: Int?
    let errorType: String?
    let protocolVersion: String?
    let template: String?

    /// The series of all that find no place.
    static let other = HTTPLabels()

    private init() {
        (method, address, port) = ("_OTHER", "_OTHER", 0)
        (status, errorType, protocolVersion, template) = (nil, nil, nil, nil)
    }

    init(_ exchange: CallTimeline.Exchange, template: String?) {
        self.template = template
        (method, address, port) = Self.target(exchange.request)
        status = exchange.head?.status
        protocolVersion = exchange.timings?.httpVersion
        if let code = exchange.result?.code {
            errorType = "\(code)"
        } else if let status, status >= 400 {
            errorType = String(status)
        } else {
            errorType = nil
        }
    }

    /// A request of which nothing else is known yet.
    init(_ sent: CallEvent.SentRequest) {
        (method, address, port) = Self.target(sent)
        (status, errorType, protocolVersion, template) = (nil, nil, nil, nil)
    }

    private static func target(_ sent: CallEvent.SentRequest) -> (method: String, address: String, port: Int) {
        let method = methods.contains(sent.method.rawValue) ? sent.method.rawValue : "_OTHER"
        let origin = URL(string: sent.url).flatMap { Origin($0) }
        // An address is no part of a URL here: no brackets.
        let host = origin?.host ?? ""
        return (method, host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, Int(origin?.port ?? 0))
    }

    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    var labels: [(name: String, value: String)] {
        var labels = [("http.request.method", method), ("server.address", address), ("server.port", String(port))]
        if let status { labels.append(("http.response.status_code", String(status))) }
        if let errorType { labels.append(("error.type", errorType)) }
        if let protocolVersion { labels.append(("network.protocol.version", protocolVersion)) }
        if let template { labels.append(("url.template", template)) }
        return labels
    }

    static func < (left: HTTPLabels, right: HTTPLabels) -> Bool {
        left.labels.lexicographicallyPrecedes(right.labels) { $0.value < $1.value }
    }
}

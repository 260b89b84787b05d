import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// The attributes of an exchange by OpenTelemetry's conventions, for metrics and traces.
///
/// - SeeAlso: [HTTP client spans](https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client)
struct HTTPLabels: Hashable, Comparable, Sendable {
    let method: String
    let address: String
    let port: Int
    var status: Int?
    var errorType: String?
    var protocolVersion: String?
    var template: String?
    /// The member of the logical origin that `address` and `port` name.
    var endpoint: String?

    /// The series for everything over the limit.
    static let other = HTTPLabels(method: "_OTHER", address: "_OTHER", port: 0)

    var labels: [(name: String, value: String)] {
        var labels = [("http.request.method", method), ("server.address", address), ("server.port", String(port))]
        if let status { labels.append(("http.response.status_code", String(status))) }
        if let errorType { labels.append(("error.type", errorType)) }
        if let protocolVersion { labels.append(("network.protocol.version", protocolVersion)) }
        if let template { labels.append(("url.template", template)) }
        if let endpoint { labels.append(("corenetkit.endpoint", endpoint)) }
        return labels
    }

    static func < (left: HTTPLabels, right: HTTPLabels) -> Bool {
        left.labels.lexicographicallyPrecedes(right.labels) { $0.value < $1.value }
    }
}

extension HTTPLabels {
    init(_ exchange: CallTimeline.Exchange, template: String?) {
        self.init(
            CallStatistics.Method(exchange.request.method),
            Self.origin(exchange.request),
            status: exchange.head?.status,
            code: exchange.result?.code,
            isCancelled: exchange.result?.result == .cancelled,
            version: exchange.timings?.httpVersion,
            template: template,
            endpoint: exchange.request.endpoint
        )
    }

    init(_ exchange: CallStatistics.Sent, template: String?, endpoint: String?) {
        self.init(
            exchange.method,
            exchange.origin,
            status: exchange.status,
            code: exchange.code,
            isCancelled: exchange.isCancelled,
            version: exchange.version.name,
            template: template,
            endpoint: endpoint
        )
    }

    /// The labels of a request without a response yet.
    init(_ sent: CallEvent.SentRequest) {
        self.init(CallStatistics.Method(sent.method), Self.origin(sent), endpoint: sent.endpoint)
    }

    private init(
        _ method: CallStatistics.Method,
        _ origin: Origin?,
        status: Int? = nil,
        code: NetworkError.Code? = nil,
        isCancelled: Bool = false,
        version: String? = nil,
        template: String? = nil,
        endpoint: String? = nil
    ) {
        // Here an address is not part of a URL: no brackets.
        let host = origin?.host ?? ""
        let address = host.utf8.first == UInt8(ascii: "[") ? String(host.dropFirst().dropLast()) : host
        self.init(method: method.name, address: address, port: origin?.port ?? 0, status: status)
        (protocolVersion, self.template, self.endpoint) = (version, template, endpoint)
        if let status, status >= 400 {
            errorType = String(status)
        } else {
            errorType = code.map { "\($0)" } ?? (isCancelled ? "cancelled" : nil)
        }
    }

    private static func origin(_ sent: CallEvent.SentRequest) -> Origin? {
        URL(string: sent.logicalOrigin ?? sent.url).map { Origin($0) }
    }
}

package import CoreNetKitEssentials

/// Status, fields and timings of a response without its content; those of a transport are read on first access.
///
/// It may outlive the response: it keeps neither the content nor the transfer of a stream alive.
package struct LazyHead: Sendable {
    /// A value that was set directly, not by the transport.
    private final class Replacement: Sendable {
        let headers: Headers?
        let timings: TransportTimings?

        init(headers: Headers?, timings: TransportTimings?) {
            self.headers = headers
            self.timings = timings
        }
    }

    private let replacement: Replacement?
    private let source: (any ResponseSource)?
    /// The status code.
    package let status: Int16

    /// The transport's source of the values.
    init(status: Int, source: (any ResponseSource)?) {
        self.status = Int16(truncatingIfNeeded: status)
        self.source = source
        replacement = nil
    }

    /// Values that were set directly and replace those of the transport.
    init(status: Int, headers: Headers?, timings: TransportTimings?, source: (any ResponseSource)?) {
        self.status = Int16(truncatingIfNeeded: status)
        self.source = source
        replacement = Replacement(headers: headers, timings: timings)
    }

    /// The field lines.
    package var headers: Headers { replacement?.headers ?? source?.headers ?? Headers() }
    /// The version of HTTP, without the rest of the timings.
    package var httpVersion: String? { replacement?.timings.map { $0.httpVersion } ?? source?.httpVersion }
    /// The timings of the exchange on the wire.
    package var timings: TransportTimings { replacement?.timings ?? source?.timings ?? .init() }
}

extension TransportResponse {
    /// A response without content.
    package init(_ head: LazyHead, url: URL) {
        self.init(status: Int(head.status), headers: head.headers, url: url, timings: head.timings)
    }
}

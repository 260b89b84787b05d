/// Status, fields and timings of a response without its content; a transport's own are read when somebody asks.
///
/// It may be kept after the response: the content, and the transfer of a stream, do not hang on it.
package struct LateHead: Sendable {
    /// What was said outright, not by the transport.
    private final class Given: Sendable {
        let headers: Headers?
        let timings: TransportTimings?

        init(headers: Headers?, timings: TransportTimings?) {
            self.headers = headers
            self.timings = timings
        }
    }

    private let given: Given?
    private let source: (any ResponseSource)?
    /// The status code.
    package let status: Int16

    /// What the transport keeps.
    init(status: Int, source: (any ResponseSource)?) {
        self.status = Int16(truncatingIfNeeded: status)
        self.source = source
        given = nil
    }

    /// What was said outright, in place of what the transport keeps.
    init(status: Int, headers: Headers?, timings: TransportTimings?, source: (any ResponseSource)?) {
        self.status = Int16(truncatingIfNeeded: status)
        self.source = source
        given = Given(headers: headers, timings: timings)
    }

    /// The field lines.
    package var headers: Headers { given?.headers ?? source?.headers ?? Headers() }
    /// The version of HTTP, without the rest of the timings.
    package var httpVersion: String? { given?.timings.map { $0.httpVersion } ?? source?.httpVersion }
    /// What the exchange did on the wire.
    package var timings: TransportTimings { given?.timings ?? source?.timings ?? .init() }
}

import CoreNetKitHTTP
import Foundation

/// Refuses what `URLSession` would trap on, silently repair, or send with another meaning.
enum RequestCheck {
    /// Scheme, host and port of a valid request: the key of its queue.
    static func host(of request: TransportRequest) throws(TransportError) -> String {
        try request.validate()
        let origin = Origin(request.url)
        #if canImport(FoundationNetworking)
            guard !origin.host.hasPrefix("[") else {
                throw unsupported("URLSession on Linux does not accept an IPv6 address as the host; use a name")
            }
        #endif
        return "\(origin.scheme)://\(origin.host):\(origin.port)"
    }

    static func isBlank(_ value: String) -> Bool { value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, phase: .queue, message: message)
    }

    static func unsupported(_ message: String) -> TransportError {
        TransportError(.unsupported, phase: .queue, message: message)
    }
}

package import CoreNetKitEssentials
import CoreNetKitSystem

/// The transient statuses, one per row, with a column for each property.
///
/// RFC 9110, 15.5.9, 15.6.1 and 15.6.3 to 15.6.5; RFC 6585, 4; RFC 8470, 5.2.
package enum TransientStatus: Int, CaseIterable, Sendable {
    case requestTimeout = 408
    case tooEarly = 425
    case tooManyRequests = 429
    case internalServerError = 500
    case badGateway = 502
    case serviceUnavailable = 503
    case gatewayTimeout = 504

    /// Whether it means that the server has not acted, so that even a request that must not be executed twice may be sent.
    package var saysNothingWasDone: Bool {
        switch self {
        case .requestTimeout, .tooEarly, .tooManyRequests, .serviceUnavailable: true
        case .internalServerError, .badGateway, .gatewayTimeout: false
        }
    }

    /// Whether an OpenTelemetry collector expects the same message again (OTLP 1.x, "Retryable Response Codes").
    package var isRetryableInOTLP: Bool {
        switch self {
        case .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout: true
        case .requestTimeout, .tooEarly, .internalServerError: false
        }
    }

    package static func isTransient(_ status: Int) -> Bool { TransientStatus(rawValue: status) != nil }

    package static var statuses: Set<Int> { Set(allCases.map(\.rawValue)) }
}

/// The time that a server asks clients to wait before another request (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The wait in seconds, which saturate, or until a date, zero if that is past; `nil` without a valid value.
    package static func wait(of headers: Headers, now: () -> Date) -> Duration? {
        guard let text = headers["Retry-After"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Duration.seconds(Int64(text) ?? .max).bounded
        }
        let now = now()
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return date.duration(since: now)
    }
}

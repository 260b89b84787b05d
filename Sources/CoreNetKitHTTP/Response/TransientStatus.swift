/// The statuses that may pass by themselves: one row each, a column for each question that is asked of them.
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

    /// Whether the server says with it that it has done nothing: even a request that must not be carried out twice may
    /// come again.
    package var saysNothingWasDone: Bool {
        switch self {
        case .requestTimeout, .tooEarly, .tooManyRequests, .serviceUnavailable: true
        case .internalServerError, .badGateway, .gatewayTimeout: false
        }
    }

    /// Whether a collector of OpenTelemetry wants the same message again after it (OTLP 1.x, "Retryable Response Codes").
    package var isRetryableInOTLP: Bool {
        switch self {
        case .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout: true
        case .requestTimeout, .tooEarly, .internalServerError: false
        }
    }

    /// Whether a later try may succeed.
    package static func mayPass(_ status: Int) -> Bool { TransientStatus(rawValue: status) != nil }

    /// All of them.
    package static var statuses: Set<Int> { Set(allCases.map(\.rawValue)) }
}

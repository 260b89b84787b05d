import CoreNetKitSystem

/// Whether a request may be sent again if the outcome of the last attempt is unknown.
public struct OutboxRepetition: Hashable, Sendable, CustomStringConvertible {
    enum Rule: Hashable, Sendable {
        case byMethod
        case keyIsHonoured(milliseconds: Int64)
        case harmless
        case atMostOnce
    }

    let rule: Rule

    /// PUT, DELETE and other idempotent methods are repeated; POST and PATCH become "in doubt", for the app to decide.
    public static let byMethod = OutboxRepetition(rule: .byMethod)

    /// The server executes one request per `Idempotency-Key`: repeated with the same key while the server remembers it.
    ///
    /// - Parameter lifetime: How long the server remembers a key after its first attempt.
    /// - Returns: The rule.
    public static func keyIsHonoured(for lifetime: Duration = .seconds(12 * 3600)) -> OutboxRepetition {
        OutboxRepetition(rule: .keyIsHonoured(milliseconds: lifetime.wholeMilliseconds))
    }

    /// Sending it twice does no harm, whatever the method: the request states a result, not a change.
    public static let harmless = OutboxRepetition(rule: .harmless)

    /// Never sent a second time once a byte may have left, not even if a response asks for it.
    public static let atMostOnce = OutboxRepetition(rule: .atMostOnce)

    /// The rule in a word.
    public var description: String {
        switch rule {
        case .byMethod: "byMethod"
        case .keyIsHonoured: "keyIsHonoured"
        case .harmless: "harmless"
        case .atMostOnce: "atMostOnce"
        }
    }
}

public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A request as the outbox keeps it: encoded, without the fields and tokens that each delivery adds.
public struct OutboxRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: URL
    /// Header fields of the request itself.
    public var headers: Headers
    /// Empty, bytes or a file.
    public var body: RequestBody

    /// Creates a request.
    public init(method: HTTPMethod, url: URL, headers: Headers = [:], body: RequestBody = .empty) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    init(_ request: TransportRequest) {
        self.init(method: request.method, url: request.url, headers: request.headers, body: request.body)
    }

    var transportRequest: TransportRequest { TransportRequest(method: method, url: url, headers: headers, body: body) }
}

/// Whether a request may be sent again if the outcome of the last attempt is unknown.
public struct OutboxRepetition: Hashable, Sendable, CustomStringConvertible {
    enum Rule: String, Sendable { case byMethod, keyIsHonoured, harmless, atMostOnce }

    let rule: Rule
    /// How long the server remembers a key, in milliseconds; 0 if it honours none.
    var keyLife: Int64 = 0

    /// PUT, DELETE and other idempotent methods are repeated; POST and PATCH become "in doubt", for the app to decide.
    public static let byMethod = OutboxRepetition(rule: .byMethod)

    /// The server executes one request per `Idempotency-Key`: repeated with the same key while the server remembers it.
    ///
    /// The lifetime is how long the server remembers a key after its first attempt.
    public static func keyIsHonoured(for lifetime: Duration = .seconds(12 * 3600)) -> OutboxRepetition {
        OutboxRepetition(rule: .keyIsHonoured, keyLife: lifetime.wholeMilliseconds)
    }

    /// Sending it twice does no harm, whatever the method: the request states a result, not a change.
    public static let harmless = OutboxRepetition(rule: .harmless)

    /// Never sent a second time once a byte may have left, not even if a response asks for it.
    public static let atMostOnce = OutboxRepetition(rule: .atMostOnce)

    /// The rule in a word.
    public var description: String { rule.rawValue }
}

extension OutboxRepetition {
    /// Reads a stored rule; an unknown one is read as the most careful one.
    init(stored description: String?, keyLife milliseconds: Int64) {
        rule = description.flatMap(Rule.init) ?? .atMostOnce
        keyLife = rule == .keyIsHonoured ? milliseconds : 0
    }
}

package import CoreNetKitEssentials
public import CoreNetKitHTTP

/// How requests are made: base, query, fields, encodings, limits.
///
/// Changed by the verbs of ``RequestHolder``.
public struct RequestSettings: Sendable {
    /// All values in one immutable block, which copies share.
    private final class Block: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    struct Fields: Sendable {
        var base: Result<URL, any Error>?
        var query: Result<ParameterValue, RequestEncodingError>?
        var strategies = ParameterStrategies()
        var encoding: ParametersEncoding = .json
        var coding = JsonCoding()
        var metadata: Headers = [:]
        var timeouts = Timeouts()
        var delivery: ResponseDelivery = .collect
        var contentCoding = TransportRequest.ContentCoding.automatic
    }

    private var block = standard

    private static let standard = Block(Fields())

    /// The default settings: GET, JSON in the body if there is one.
    public init() {}

    var fields: Fields { block.fields }

    // One by one, because copying all fields takes longer.
    package var base: Result<URL, any Error>? { block.fields.base }
    var strategies: ParameterStrategies { block.fields.strategies }
    var encoding: ParametersEncoding { block.fields.encoding }
    var coding: JsonCoding { block.fields.coding }
    var metadata: Headers { block.fields.metadata }
    var timeouts: Timeouts { block.fields.timeouts }
    var delivery: ResponseDelivery { block.fields.delivery }
    var contentCoding: TransportRequest.ContentCoding { block.fields.contentCoding }

    var queryText: Result<String, any Error> {
        guard let query = block.fields.query else { return .success("") }
        return Result { try strategies.query(try query.get()) }
    }

    mutating func change(_ body: (inout Fields) -> Void) {
        var fields = block.fields
        body(&fields)
        block = Block(fields)
    }
}

extension RequestSettings: CustomStringConvertible, DescriptionOnly {
    /// Counts on one line, without values.
    public var description: String {
        "\(metadata.count) fields, \(fields.query == nil ? "no query" : "a query")"
    }
}

import CoreNetKitHTTP

/// What a client or a builder knows about the requests of its chains.
struct RequestOptions: Sendable {
    /// Everything, in one block that is never changed once it is made: copies share it.
    private final class Block: Sendable {
        let fields: Fields
        let form: RequestForm

        init(_ fields: Fields) {
            self.fields = fields
            form = RequestForm(
                encoding: fields.encoding,
                strategies: fields.strategies,
                timeouts: fields.timeouts,
                delivery: fields.delivery
            )
        }
    }

    struct Fields: Sendable {
        var query: Result<ParameterValue, NetworkError>?
        var strategies = ParameterStrategies()
        var encoding: ParametersEncoding = .json
        var coding = JsonCoding()
        var metadata: Headers = [:]
        var timeouts = Timeouts()
        var delivery: ResponseDelivery = .collect
    }

    private var block = standard

    private static let standard = Block(Fields())

    var fields: Fields { block.fields }

    /// How payloads become requests.
    var form: RequestForm { block.form }

    // One by one: a copy of all fields takes longer.
    var query: Result<ParameterValue, NetworkError>? { block.fields.query }
    var coding: JsonCoding { block.fields.coding }
    var metadata: Headers { block.fields.metadata }

    mutating func change(_ body: (inout Fields) -> Void) {
        var fields = block.fields
        body(&fields)
        block = Block(fields)
    }
}

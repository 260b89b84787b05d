public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and gives the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(ElementReader<SequenceFormat, O>.model(options, coding) { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and gives the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(ElementReader<SequenceFormat, O>.model(options, coding) { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends a plain `Encodable` and gives the elements of a JSON text sequence (RFC 7464), as plain models.
    @_disfavoredOverload
    public func jsonSequence<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        pieces(ElementReader<SequenceFormat, O>.plain(options, coding) { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and gives the elements of a JSON text sequence (RFC 7464), as plain models.
    @_disfavoredOverload
    public func jsonSequence<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        pieces(ElementReader<SequenceFormat, O>.plain(options, coding) { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }
}

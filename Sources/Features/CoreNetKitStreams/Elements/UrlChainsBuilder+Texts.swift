public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of JSON Lines, one per line, as models.
    public func lines<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(LineFormat.self, options) { JsonLineParser(limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of JSON Lines, one per line, as models.
    public func lines<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(LineFormat.self, options) { JsonLineParser(limit: options.limit) }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of JSON Lines, one per line, as plain models.
    @_disfavoredOverload
    public func lines<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        plainPieces(LineFormat.self, options) { JsonLineParser(limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of JSON Lines, one per line, as plain models.
    @_disfavoredOverload
    public func lines<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        plainPieces(LineFormat.self, options) { JsonLineParser(limit: options.limit) }
    }
}

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(SequenceFormat.self, options) { JsonSequenceParser(limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(SequenceFormat.self, options) { JsonSequenceParser(limit: options.limit) }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of a JSON text sequence (RFC 7464), plain models.
    @_disfavoredOverload
    public func jsonSequence<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        plainPieces(SequenceFormat.self, options) { JsonSequenceParser(limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of a JSON text sequence (RFC 7464), as plain models.
    @_disfavoredOverload
    public func jsonSequence<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        plainPieces(SequenceFormat.self, options) { JsonSequenceParser(limit: options.limit) }
    }
}

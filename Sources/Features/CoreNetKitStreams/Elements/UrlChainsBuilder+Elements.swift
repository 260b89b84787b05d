public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of JSON Lines, one per line, as models.
    public func lines<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        elements(LineFormat.self, options, model(O.self), { JsonLineParser(limit: options.limit) }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the elements of JSON Lines, one per line, as models.
    public func lines<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        elements(LineFormat.self, options, model(O.self), { JsonLineParser(limit: options.limit) }) { $0.build() }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of JSON Lines, one per line, as plain models.
    @_disfavoredOverload
    public func lines<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        elements(LineFormat.self, options, plainModel(O.self), { JsonLineParser(limit: options.limit) }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the elements of JSON Lines, one per line, as plain models.
    @_disfavoredOverload
    public func lines<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        elements(LineFormat.self, options, plainModel(O.self), { JsonLineParser(limit: options.limit) }) { $0.build() }
    }
}

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        elements(SequenceFormat.self, options, model(O.self), { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and returns the elements of a JSON text sequence (RFC 7464), as models.
    public func jsonSequence<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        elements(SequenceFormat.self, options, model(O.self), { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of a JSON text sequence (RFC 7464), plain models.
    @_disfavoredOverload
    public func jsonSequence<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        elements(SequenceFormat.self, options, plainModel(O.self), { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and returns the elements of a JSON text sequence (RFC 7464), as plain models.
    @_disfavoredOverload
    public func jsonSequence<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        elements(SequenceFormat.self, options, plainModel(O.self), { JsonSequenceParser(limit: options.limit) }) {
            $0.build()
        }
    }
}

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of one array in a JSON text, as models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    public func elements<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        elements(TextFormat.self, options, model(O.self), { JsonElementParser(at: path, limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and returns the elements of one array in a JSON text, as models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    public func elements<O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        elements(TextFormat.self, options, model(O.self), { JsonElementParser(at: path, limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of one array in a JSON text, as plain models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    @_disfavoredOverload
    public func elements<I: Encodable & Sendable, O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        elements(TextFormat.self, options, plainModel(O.self), { JsonElementParser(at: path, limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and returns the elements of one array in a JSON text, as plain models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    @_disfavoredOverload
    public func elements<O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        elements(TextFormat.self, options, plainModel(O.self), { JsonElementParser(at: path, limit: options.limit) }) {
            $0.build()
        }
    }
}

extension UrlChainsBuilder {
    /// A chain whose response is read in pieces by a parser, each as a model.
    private func elements<I: Sendable, Format: StreamFormat, Model: Sendable>(
        _ format: Format.Type,
        _ options: ElementOptions,
        _ read: @escaping @Sendable (Data) throws -> Model,
        _ parser: @escaping @Sendable () -> any JsonPieceParser,
        _ build: (Self) -> Chain<I, StreamedResponse<Format>>
    ) -> Chain<I, ElementStream<Model>> {
        let clock = configuration.parts.clock
        return build(with(StreamRequest(idle: options.idle))).map { response in
            ElementStream(source: ElementSource(response, parser: parser(), clock: clock), read: read)
        }
    }

    /// Reads a model with a DTO from the bytes of an element, an event or a part.
    func model<O: DTODecodable>(_ type: O.Type) -> @Sendable (Data) throws -> O where O.DTO.Raw == Json {
        let coding = coding
        return { bytes in try O.from(dto: O.DTO.from(raw: coding.attached(to: Json(undecoded: bytes)))) }
    }

    /// Reads a plain model from the bytes of an element, an event or a part.
    func plainModel<O: Decodable & Sendable>(_ type: O.Type) -> @Sendable (Data) throws -> O {
        let coding = coding
        return { bytes in try coding.attached(to: Json(undecoded: bytes)).decode(type) }
    }
}

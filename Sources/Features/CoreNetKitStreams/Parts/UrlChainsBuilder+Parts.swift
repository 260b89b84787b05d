public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the parts of a `multipart/mixed` response, their JSON as models.
    public func parts<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        parts(options, model(O.self)) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a `multipart/mixed` response, their JSON as models.
    public func parts<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> where O.DTO.Raw == Json {
        parts(options, model(O.self)) { $0.build() }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the parts of a response, their JSON as plain models.
    @_disfavoredOverload
    public func parts<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> {
        parts(options, plainModel(O.self)) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a response, their JSON as plain models.
    @_disfavoredOverload
    public func parts<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> {
        parts(options, plainModel(O.self)) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a response as their bytes.
    public func rawParts(_ options: ElementOptions = .init()) -> Chain<Void, PartStream<Data>> {
        parts(options, { $0 }) { $0.build() }
    }

    private func parts<I: Sendable, Model: Sendable>(
        _ options: ElementOptions,
        _ read: @escaping @Sendable (Data) throws -> Model,
        _ build: (Self) -> Chain<I, StreamedResponse<PartFormat>>
    ) -> Chain<I, PartStream<Model>> {
        let chain = build(with(StreamRequest(idle: options.idle)))
        let clock = configuration.parts.clock
        return chain.map { try await PartStream($0, limit: options.limit, on: clock, read: read) }
    }
}

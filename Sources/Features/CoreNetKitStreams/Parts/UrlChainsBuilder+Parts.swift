public import CoreNetKitEssentials
public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the parts of a `multipart/mixed` response, their JSON as models.
    public func parts<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        let coding = coding
        return parts(options, { try Self.model($0, coding) }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a `multipart/mixed` response, their JSON as models.
    public func parts<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> where O.DTO.Raw == Json {
        let coding = coding
        return parts(options, { try Self.model($0, coding) }) { $0.build() }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the parts of a response, their JSON as plain models.
    @_disfavoredOverload
    public func parts<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, PartStream<O>> {
        let coding = coding
        return parts(options, { try Self.plainModel($0, coding) }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a response, their JSON as plain models.
    @_disfavoredOverload
    public func parts<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, PartStream<O>> {
        let coding = coding
        return parts(options, { try Self.plainModel($0, coding) }) { $0.build() }
    }

    /// Builds a chain that sends no content and returns the parts of a response as their bytes.
    public func rawParts(_ options: ElementOptions = .init()) -> Chain<Void, PartStream<Data>> {
        parts(options, { $0 }) { $0.build() }
    }

    private static func model<O: DTODecodable>(_ bytes: Data, _ coding: JsonCoding) throws -> O
    where O.DTO.Raw == Json {
        try O.from(dto: O.DTO.from(raw: coding.attached(to: Json(undecoded: bytes))))
    }

    private static func plainModel<O: Decodable>(_ bytes: Data, _ coding: JsonCoding) throws -> O {
        try coding.attached(to: Json(undecoded: bytes)).decode(O.self)
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

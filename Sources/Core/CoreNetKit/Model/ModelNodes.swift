public import CoreNetKitChain

/// Turns an app model into its DTO.
public struct DTOEncodingNode<Model: DTOEncodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Model.DTO, Output>

    /// Creates the node before `next`.
    public init(next: any Node<Model.DTO, Output>) { self.next = next }

    /// Maps the model and passes it on.
    ///
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toDTO()` throws.
    public func process(_ input: Model, context: RequestContext) async throws -> Output {
        let dto = try NetworkError.mapping(to: .encodingFailed, node: id) { try input.toDTO() }
        return try await next.process(dto, context: context)
    }
}

/// Turns a DTO into raw data.
public struct RawEncodingNode<DTO: RawEncodable & Sendable, Output: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<DTO.Raw, Output>
    private let coding: JsonCoding

    /// Creates the node before `next`.
    public init(next: any Node<DTO.Raw, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Maps the DTO and passes it on.
    ///
    /// - Throws: ``NetworkError`` with code `encodingFailed` when `toRaw()` throws.
    public func process(_ input: DTO, context: RequestContext) async throws -> Output {
        let raw = try NetworkError.mapping(to: .encodingFailed, node: id) {
            coding.applied(to: try input.toRaw())
        }
        return try await next.process(raw, context: context)
    }
}

/// Turns a plain `Encodable` model into JSON: no DTO layer.
package struct CodableEncodingNode<Model: Encodable & Sendable, Output: Sendable>: ChainStep {
    package let next: any Node<Json, Output>
    private let coding: JsonCoding
    /// Whether the model may have a `toRaw()` of its own: determined once for its type.
    private let mayWriteItself: Bool

    package init(next: any Node<Json, Output>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
        mayWriteItself = Model.self is any RawEncodable.Type || Model.self is AnyClass
    }

    package func process(_ input: Model, context: RequestContext) async throws -> Output {
        let json = try NetworkError.mapping(to: .encodingFailed, node: id) {
            coding.applied(to: try mayWriteItself ? Json(model: input) : Json(encoding: input))
        }
        return try await next.process(json, context: context)
    }
}

/// No content: a `Void` input sends it, and a `Void` output receives it.
public struct EmptyPayload: Sendable, Hashable {
    /// Creates no content.
    public init() {}
}

/// Starts a chain without input.
struct VoidInputNode<Output: Sendable>: ChainStep {
    let next: any Node<EmptyPayload, Output>

    func process(_ input: Void, context: RequestContext) async throws -> Output {
        try await next.process(EmptyPayload(), context: context)
    }
}

/// Turns the DTO of the next node into an app model.
public struct DTODecodingNode<Model: DTODecodable & Sendable, Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, Model.DTO>

    /// Creates the node before `next`.
    public init(next: any Node<Input, Model.DTO>) { self.next = next }

    /// Passes the input on and maps the response.
    ///
    /// - Throws: ``NetworkError`` with code `decodingFailed` when `from(dto:)` throws.
    public func process(_ input: Input, context: RequestContext) async throws -> Model {
        let dto = try await next.process(input, context: context)
        do {
            return try Model.from(dto: dto)
        } catch {
            throw NetworkError.decoding(error, as: Model.self, by: id)
        }
    }
}

/// Turns the raw data of the next node into a DTO.
public struct RawDecodingNode<DTO: RawDecodable & Sendable, Input: Sendable>: ChainStep {
    /// The next node.
    public let next: any Node<Input, DTO.Raw>
    private let coding: JsonCoding

    /// Creates the node before `next`.
    public init(next: any Node<Input, DTO.Raw>, coding: JsonCoding = .init()) {
        self.next = next
        self.coding = coding
    }

    /// Passes the input on and maps the response.
    ///
    /// - Throws: ``NetworkError`` with code `decodingFailed` and the coding path if the data does not match the DTO.
    public func process(_ input: Input, context: RequestContext) async throws -> DTO {
        let raw = try await next.process(input, context: context)
        do {
            return try DTO.from(raw: coding.applied(to: raw))
        } catch {
            throw NetworkError.decoding(error, as: DTO.self, by: id)
        }
    }
}

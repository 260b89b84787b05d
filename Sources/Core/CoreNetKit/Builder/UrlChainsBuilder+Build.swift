extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns a model.
    public func build<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>() -> Chain<I, O>
    where I.DTO.Raw: RequestPayload, O.DTO.Raw: ResponsePayload {
        configuration.chain(sending(I.self, through: core(receiving(O.self))))
    }

    /// Builds a chain that sends a model and returns nothing: only the status is checked, the content is ignored.
    public func build<I: DTOEncodable & Sendable>() -> Chain<I, Void> where I.DTO.Raw: RequestPayload {
        configuration.chain(sending(I.self, through: core(receivingNothing())))
    }

    /// Builds a chain that sends no content and returns a model.
    public func build<O: DTODecodable & Sendable>() -> Chain<Void, O> where O.DTO.Raw: ResponsePayload {
        configuration.chain(sendingNothing(through: core(receiving(O.self))))
    }

    /// Builds a chain that sends no content and returns nothing: only the status is checked.
    @_disfavoredOverload
    public func build() -> Chain<Void, Void> {
        configuration.chain(sendingNothing(through: core(receivingNothing())))
    }

    // The overloads for plain Codable types, as JSON. A type that has both conformances is a model: as an input because these are
    // disfavoured, as an output because the compiler prefers an overload without a default argument, which is all that the `Never?`
    // is for. Which ones are disfavoured also decides the compiler's message about a type that is neither: .ci/check-messages.

    /// Builds a chain that sends no content and returns a plain `Decodable`.
    public func build<O: Decodable & Sendable>(_: Never? = nil) -> Chain<Void, O> {
        configuration.chain(sendingNothing(through: core(decoding(O.self))))
    }

    /// Builds a chain that sends a model and returns a plain `Decodable`.
    public func build<I: DTOEncodable & Sendable, O: Decodable & Sendable>(_: Never? = nil) -> Chain<I, O>
    where I.DTO.Raw: RequestPayload {
        configuration.chain(sending(I.self, through: core(decoding(O.self))))
    }

    /// Builds a chain that sends a plain `Encodable` and returns a model.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: DTODecodable & Sendable>() -> Chain<I, O>
    where O.DTO.Raw: ResponsePayload {
        configuration.chain(encoding(I.self, through: core(receiving(O.self))))
    }

    /// Builds a chain that sends a plain `Encodable` and returns a plain `Decodable`.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: Decodable & Sendable>(_: Never? = nil) -> Chain<I, O> {
        configuration.chain(encoding(I.self, through: core(decoding(O.self))))
    }

    /// Builds a chain that sends a plain `Encodable` and returns nothing: only the status is checked.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable>() -> Chain<I, Void> {
        configuration.chain(encoding(I.self, through: core(receivingNothing())))
    }

    // Responses without a model.

    /// Builds a chain that sends a model and returns status and fields: `Response<Void>`.
    public func build<I: DTOEncodable & Sendable, R: ContentlessResponse>() -> Chain<I, R>
    where I.DTO.Raw: RequestPayload {
        configuration.chain(sending(I.self, through: core(contentless(R.self))))
    }

    /// Builds a chain that sends a plain `Encodable` and returns status and fields: `Response<Void>`.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, R: ContentlessResponse>() -> Chain<I, R> {
        configuration.chain(encoding(I.self, through: core(contentless(R.self))))
    }

    /// Builds a chain that sends no content and returns status and fields: `Response<Void>`.
    public func build<R: ContentlessResponse>() -> Chain<Void, R> {
        configuration.chain(sendingNothing(through: core(contentless(R.self))))
    }
}

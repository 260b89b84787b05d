extension Json {
    /// Decodes a type from the value: straight from the bytes when nobody has looked inside yet.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - coding: How keys and dates stand in the JSON.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, as coding: JsonCoding) throws -> Value {
        try decoder(coding: coding).whole(type)
    }

    /// Decodes a type from the value with its own options, which are those of the chain that it came through.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decoder(coding: coding).whole(type)
    }

    /// Decodes an entry that has no `from(raw:)` of its own, and leaves word of that.
    package func decodePlain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage { source.markPlain(type) }
        return try decode(type)
    }

    /// The decoder of the value; one that was built is written first.
    package func decoder(coding: JsonCoding) throws(JsonError) -> JsonDecoder {
        if case .source(let source) = storage { return try source.decoder(coding: coding) }
        return JsonDecoder(try .reading(try data(), coding: coding), coding: coding)
    }

    /// Holds a model that is encoded when the value is written, with the options of the chain.
    ///
    /// Members may be set meanwhile. Whoever looks inside before a chain has the value sees it encoded with the usual
    /// options, unless it was given others by ``with(_:)``.
    ///
    /// - Parameter value: The model to encode.
    /// - Throws: Nothing; what cannot be encoded is an error when it is written.
    public init(encoding value: some Encodable & Sendable) throws {
        self.init(.model(JsonModel(value)))
    }

    /// Holds an entry that has no `toRaw()` of its own.
    package init(plain value: some Encodable & Sendable) {
        self.init(.model(JsonModel(value, isPlain: true)))
    }

    /// Encodes any value as JSON at once.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - coding: How keys, dates and the like stand in the JSON.
    /// - Throws: `EncodingError`, or ``JsonError`` when the value is nested too deep.
    public init(encoding value: some Encodable, as coding: JsonCoding) throws {
        self.init(undecoded: try coding.encode(value))
    }
}

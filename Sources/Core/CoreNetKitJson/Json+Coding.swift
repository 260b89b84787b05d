extension Json {
    /// Decodes a type from the value: directly from the bytes if the tree was not built yet.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - coding: How keys and dates are represented in JSON.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` if the bytes are not JSON, `DecodingError` if they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, as coding: JsonCoding) throws -> Value {
        try decoder(coding: coding).whole(type)
    }

    /// Decodes a type from the value with its own options: those of the chain from which it came.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` if the bytes are not JSON, `DecodingError` if they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decoder(coding: coding).whole(type)
    }

    /// Decodes an entry that has no `from(raw:)` of its own, and records that.
    package func decodePlain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage { source.markPlain(type) }
        return try decode(type)
    }

    /// The decoder of the value; a value that was built in memory is written first.
    package func decoder(coding: JsonCoding) throws(JsonError) -> JsonDecoder {
        if case .source(let source) = storage { return try source.decoder(coding: coding) }
        return JsonDecoder(try .reading(try data(), coding: coding), coding: coding)
    }

    /// Holds a model that is encoded when the value is written, with the options of the chain.
    ///
    /// Members may be set before that. Reading the value before a chain encodes it shows the model with the default
    /// options, unless ``with(_:)`` gave it others.
    ///
    /// - Parameter value: The model to encode.
    /// - Throws: Nothing; a model that cannot be encoded is an error when it is written.
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
    ///   - coding: How keys, dates and other values are represented in JSON.
    /// - Throws: `EncodingError`, or ``JsonError`` if the value is nested too deeply.
    public init(encoding value: some Encodable, as coding: JsonCoding) throws {
        self.init(undecoded: try coding.encode(value))
    }
}

extension Json {
    /// Decodes a type from the value: straight from the bytes when nobody has looked inside yet.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - coding: How keys and dates stand in the JSON.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, as coding: JsonCoding) throws -> Value {
        try coding.applied { try decoder(coding: coding).value(type) }
    }

    /// Decodes a type from the value with the options of the chain.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decoder(coding: .current).value(type)
    }

    /// Decodes an entry that has no `from(raw:)` of its own, and leaves word of that.
    package func decodePlain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder(coding: .current, plainType: type).value(type)
    }

    /// The decoder of the value; one that was built is written first.
    package func decoder(coding: JsonCoding, plainType: Any.Type? = nil) throws(JsonError) -> JsonDecoder {
        if case .source(let source) = storage { return try source.decoder(coding: coding, plainType: plainType) }
        return JsonDecoder(try .reading(try data()), coding: coding)
    }

    /// Encodes any value as JSON with the options of the chain.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: `EncodingError`.
    public init(encoding value: some Encodable) throws {
        self.init(undecoded: try JsonCoding.current.encode(value))
    }

    /// Encodes any value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - coding: How keys, dates and the like stand in the JSON.
    /// - Throws: `EncodingError`, or ``JsonError`` when the value is nested too deep.
    public init(encoding value: some Encodable, as coding: JsonCoding) throws {
        self.init(undecoded: try coding.encode(value))
    }
}

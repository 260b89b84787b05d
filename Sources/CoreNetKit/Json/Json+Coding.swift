extension Json {
    /// Decodes a type from the value: straight from the bytes when nobody has looked inside yet.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - coding: How keys and dates stand in the JSON.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, as coding: JsonCoding) throws -> Value {
        try JsonCoding.$current.withValue(coding) { try fromBytes(type) }
    }

    /// Decodes a type from the value with the options of the chain.
    ///
    /// - Parameter type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decoded(type)
    }

    /// Encodes any value as JSON with the options of the chain.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: `EncodingError`.
    public init(encoding value: some Encodable) throws {
        self.init(undecoded: try JsonCoding.current.encode(value))
    }
}

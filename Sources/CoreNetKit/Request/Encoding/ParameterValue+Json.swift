extension ParameterValue {
    /// Creates a value from JSON, such as a model's raw form; numbers keep their text.
    ///
    /// - Parameter json: The value.
    /// - Throws: ``RequestEncodingError`` where bytes that were not looked at before are no JSON.
    public init(json: Json) throws(RequestEncodingError) {
        let parsed: Json
        do { parsed = try json.parsed() } catch { throw RequestEncodingError(at: error.path, error.reason) }
        self.init(tree: parsed)
    }

    private init(tree json: Json) {
        switch json.storage {
        case .null, .source: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(String(value))
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { ParameterValue(tree: $0) })
        case .object(let object): self = .object(object.dictionary.mapValues { ParameterValue(tree: $0) })
        }
    }
}

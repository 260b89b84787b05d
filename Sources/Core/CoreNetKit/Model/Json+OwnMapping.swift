extension Json {
    /// Decodes a plain model, with its own `from(raw:)` if it has one that reads ``Json``.
    package func model<Model: Decodable>(_ type: Model.Type) throws -> Model {
        if let reader = type as? any RawDecodable.Type, let model = try reader.read(self) as? Model { return model }
        return try decode(type)
    }

    /// Encodes a plain model, with its own `toRaw()` if it has one that writes ``Json``.
    package init(model: some Encodable & Sendable) throws {
        if let json = try (model as? any RawEncodable)?.written() {
            self = json
        } else {
            try self.init(encoding: model)
        }
    }
}

extension RawDecodable {
    static func read(_ json: Json) throws -> Self? {
        guard Raw.self == Json.self, let raw = json as? Raw else { return nil }
        return try from(raw: raw)
    }
}

extension RawEncodable {
    fileprivate func written() throws -> Json? {
        guard Raw.self == Json.self else { return nil }
        return try toRaw() as? Json
    }
}

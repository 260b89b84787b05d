import CoreNetKitEssentials

/// As a field of a `Codable` entry in a chain, a value is taken unchanged from the body, including numbers and order;
/// it is written with its numbers unchanged and its members sorted by name.
///
/// With any other coder it carries only what that coder can: a number that is neither a 64-bit integer nor exact as a
/// `Decimal` or as a `Double` of up to 15 digits is an error instead of being rounded.
extension Json: Codable {
    /// Reads a value from any decoder; a number that it cannot carry is a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JsonDecoder {
            self = decoder.json()
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self.init(text)
        } else if let value = try? container.decode(Bool.self) {
            self.init(value)
        } else if let value = try? container.decode(Int64.self) {
            self.init(value)
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            // As a dictionary: a key strategy does not change its keys.
            self.init(try container.decode([String: Json].self))
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [Json] = []
            while !elements.isAtEnd { array.append(try elements.decode(Json.self)) }
            self.init(array)
        } else if let value = try? container.decode(UInt64.self) {
            self.init(value)
        } else if let number = Self.number(in: container) {
            self = number
        } else {
            let message = "The number cannot be represented exactly."
            throw DecodingError.dataCorruptedError(in: container, debugDescription: message)
        }
    }

    private static func number(in container: any SingleValueDecodingContainer) -> Json? {
        if let decimal = try? container.decode(Decimal.self), !decimal.isNaN {
            // A decimal that uses all of its digits may have lost some.
            let text = decimal.description
            guard JsonNumber(text).precision < 38 else { return nil }
            return Json(.number(text))
        }
        guard let double = try? container.decode(Double.self), double.isFinite,
            JsonNumber(double.description).precision <= 15
        else { return nil }
        return Json(.number(double.description))
    }

    /// Writes the value to any encoder; a number that it cannot carry is an `EncodingError`, other faults a ``JsonError``.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? JsonEncoder { return try encoder.draft.writeJson(self, at: encoder.node) }
        if case .model(let model) = storage, model.changes.isEmpty { return try model.model.encode(to: encoder) }
        switch try parsed().storage {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let integer): try integer.encode(to: encoder)
        case .number(let text): try encode(number: text, to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let object):
            var container = encoder.singleValueContainer()
            try container.encode(object.dictionary)
        case .source, .model: break
        }
    }

    private func encode(number text: String, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let number = JsonNumber(text)
        if let integer: Int64 = number.integer() {
            try container.encode(integer)
        } else if let integer: UInt64 = number.integer() {
            try container.encode(integer)
        } else if let double, JsonNumber(double.description) == number {
            try container.encode(double)
        } else if let decimal {
            try container.encode(decimal)
        } else {
            let message = "The number cannot be represented exactly."
            throw EncodingError.invalidValue(text, .init(codingPath: encoder.codingPath, debugDescription: message))
        }
    }
}

package struct AnyKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension Json {
    /// Decodes a type from the value with these options, otherwise like ``decode(_:)``.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, as coding: JsonCoding) throws -> Value {
        try decoder(coding: coding).whole(type)
    }

    /// Decodes a type from the value with its own options: those of the chain from which it came.
    ///
    /// It is read directly from the bytes if the tree was not built yet.
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

    /// Encodes any value at once; throws `EncodingError`, or ``JsonError`` if the value is nested too deeply.
    public init(encoding value: some Encodable, as coding: JsonCoding) throws {
        self.init(undecoded: try coding.encode(value))
    }
}

import CoreNetKitHTTP
import CoreNetKitJson

/// How a plain `Decodable` model is decoded: determined from its type, by casts, once for all calls of a chain.
struct PlainForm<Model: Decodable>: Sendable {
    /// The type as a response around a model, if it is one.
    private let around: (any PlainResponse.Type)?
    /// The type as one with its own `from(raw:)`, if it has one.
    private let own: (any RawDecodable.Type)?

    init(_ type: Model.Type) {
        around = type as? any PlainResponse.Type
        own = type as? any RawDecodable.Type
    }

    func read(_ json: Json, _ coding: JsonCoding, of response: TransportResponse) throws -> Model {
        if let around, let model = try around.decoded(from: json, coding: coding, of: response) as? Model {
            return model
        }
        return try read(json, coding)
    }

    /// Reads the model; one with a value for "no content" needs no content, an optional one whatever the status.
    func read(_ json: Json, _ coding: JsonCoding) throws -> Model {
        if json.isNoContent || json.isBlank && Model.self is any AnyOptional.Type,
            let empty = (Model.self as? any EmptyRepresentable.Type)?.noContentValue as? Model
        {
            return empty
        }
        let json = coding.applied(to: json)
        if let own, let model = try own.read(json) as? Model { return model }
        return try json.decode(Model.self)
    }
}

/// A ``Response`` around a plain `Decodable` model.
protocol PlainResponse: SendableMetatype {
    static func decoded(from json: Json, coding: JsonCoding, of response: TransportResponse) throws -> Self
}

extension Response: PlainResponse where Model: Decodable {
    static func decoded(from json: Json, coding: JsonCoding, of response: TransportResponse) throws -> Self {
        Response(model: try PlainForm(Model.self).read(json, coding), of: response)
    }
}

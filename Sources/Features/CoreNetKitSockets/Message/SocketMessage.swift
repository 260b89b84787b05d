public import CoreNetKit
public import CoreNetKitEssentials
public import CoreNetKitJson

/// One message of a WebSocket.
public enum SocketMessage: Sendable, Hashable {
    /// Text, which is UTF-8 on the wire.
    case text(String)
    /// Bytes.
    case data(Data)

    /// The bytes of either kind.
    public var bytes: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }

    var isText: Bool { if case .text = self { true } else { false } }
}

/// How incoming messages are decoded: `.json`, `.model`, `.text`, `.data`, `.message`.
public struct SocketReading<Model: Sendable>: Sendable {
    let make: @Sendable (JsonCoding) -> @Sendable (SocketMessage) throws -> Model

    /// A custom format; errors of the closure are thrown to the reader.
    public static func by(_ read: @escaping @Sendable (SocketMessage) throws -> Model) -> SocketReading {
        SocketReading { _ in read }
    }
}

extension SocketReading where Model: Decodable {
    /// JSON of a plain `Decodable`, in a text or binary message.
    public static var json: SocketReading {
        SocketReading { coding in { try coding.applied(to: Json(undecoded: $0.bytes)).decode(Model.self) } }
    }
}

extension SocketReading where Model: DTODecodable, Model.DTO.Raw == Json {
    /// JSON of a model's DTO, in a text or binary message.
    public static var model: SocketReading {
        SocketReading { coding in
            { try Model.from(dto: Model.DTO.from(raw: coding.applied(to: Json(undecoded: $0.bytes)))) }
        }
    }
}

extension SocketReading where Model == String {
    /// Texts as they are; a binary message is an error.
    public static var text: SocketReading {
        .by { message in
            if case .text(let text) = message { return text }
            let words = "the message is bytes, not text"
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: words))
        }
    }
}

extension SocketReading where Model == Data {
    /// The bytes of both binary and text messages.
    public static var data: SocketReading { .by { $0.bytes } }
}

extension SocketReading where Model == SocketMessage {
    /// Messages as they are.
    public static var message: SocketReading { .by { $0 } }
}

/// How outgoing messages are encoded: `.json`, `.model`, `.text`, `.data`, `.message`.
public struct SocketWriting<Model: Sendable>: Sendable {
    let make: @Sendable (JsonCoding) -> @Sendable (Model) throws -> SocketMessage

    /// A custom format; errors of the closure are thrown to the sender.
    public static func by(_ write: @escaping @Sendable (Model) throws -> SocketMessage) -> SocketWriting {
        SocketWriting { _ in write }
    }
}

extension SocketWriting where Model: Encodable {
    /// JSON of a plain `Encodable`, as a text message.
    public static var json: SocketWriting {
        SocketWriting { coding in
            { .text(String(decoding: try coding.applied(to: Json(model: $0)).encoded(), as: UTF8.self)) }
        }
    }
}

extension SocketWriting where Model: DTOEncodable, Model.DTO.Raw == Json {
    /// JSON of a model's DTO, as a text message.
    public static var model: SocketWriting {
        SocketWriting { coding in
            { .text(String(decoding: try coding.applied(to: $0.toDTO().toRaw()).encoded(), as: UTF8.self)) }
        }
    }
}

extension SocketWriting where Model == String {
    /// Texts as they are.
    public static var text: SocketWriting { .by { .text($0) } }
}

extension SocketWriting where Model == Data {
    /// Bytes as they are.
    public static var data: SocketWriting { .by { .data($0) } }
}

extension SocketWriting where Model == SocketMessage {
    /// Messages as they are.
    public static var message: SocketWriting { .by { $0 } }
}

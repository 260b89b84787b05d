import CoreNetKit
import CoreNetKitChain
import CoreNetKitJson

/// How a chain of elements is built: its request, the parser of its pieces, the decoding of a piece.
struct ElementReader<Format: StreamFormat, Model: Sendable>: Sendable {
    let options: ElementOptions
    let parser: PieceParser
    let read: @Sendable (Json) throws -> Model

    /// Each element is a model with a DTO.
    static func model(
        _ options: ElementOptions,
        _ coding: JsonCoding,
        _ parser: @escaping PieceParser
    ) -> ElementReader where Model: DTODecodable, Model.DTO.Raw == Json {
        ElementReader(options: options, parser: parser) { json in
            try Model.from(dto: Model.DTO.from(raw: coding.attached(to: json)))
        }
    }

    /// Each element is a plain model.
    static func plain(
        _ options: ElementOptions,
        _ coding: JsonCoding,
        _ parser: @escaping PieceParser
    ) -> ElementReader where Model: Decodable {
        ElementReader(options: options, parser: parser) { json in
            try coding.attached(to: json).decode(Model.self)
        }
    }

    /// The elements of a response.
    func stream(of response: StreamedResponse<Format>, on clock: CallClock) -> ElementStream<Model> {
        let source = ElementSource(response.content, response: response.failed, parser: parser(), clock: clock)
        return ElementStream(source: source, read: read)
    }
}

import CoreNetKit
import CoreNetKitChain
import CoreNetKitJson

/// Makes the parser of a response's pieces.
typealias PieceParser = @Sendable () -> any JsonPieceParser

// Shared by `lines`, `jsonSequence` and `elements`: chains whose responses are read in pieces, for each input and output.
extension UrlChainsBuilder {
    func pieces<I: DTOEncodable & Sendable, O: DTODecodable & Sendable, Format: StreamFormat>(
        _ format: Format.Type,
        _ options: ElementOptions,
        _ parser: @escaping PieceParser
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(ElementReader<Format, O>.model(options, coding, parser)) { $0.build() }
    }

    func pieces<O: DTODecodable & Sendable, Format: StreamFormat>(
        _ format: Format.Type,
        _ options: ElementOptions,
        _ parser: @escaping PieceParser
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(ElementReader<Format, O>.model(options, coding, parser)) { $0.build() }
    }

    func plainPieces<I: Encodable & Sendable, O: Decodable & Sendable, Format: StreamFormat>(
        _ format: Format.Type,
        _ options: ElementOptions,
        _ parser: @escaping PieceParser
    ) -> Chain<I, ElementStream<O>> {
        pieces(ElementReader<Format, O>.plain(options, coding, parser)) { $0.build() }
    }

    func plainPieces<O: Decodable & Sendable, Format: StreamFormat>(
        _ format: Format.Type,
        _ options: ElementOptions,
        _ parser: @escaping PieceParser
    ) -> Chain<Void, ElementStream<O>> {
        pieces(ElementReader<Format, O>.plain(options, coding, parser)) { $0.build() }
    }

    private func pieces<I: Sendable, Format: StreamFormat, Model: Sendable>(
        _ reader: ElementReader<Format, Model>,
        _ build: (Self) -> Chain<I, StreamedResponse<Format>>
    ) -> Chain<I, ElementStream<Model>> {
        let clock = configuration.parts.clock
        return build(with(StreamRequest(idle: reader.options.idle))).map { reader.stream(of: $0, on: clock) }
    }
}

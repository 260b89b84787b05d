import CoreNetKit
import CoreNetKitChain
import CoreNetKitJson

/// What finds the pieces of a response.
typealias PieceParser = @Sendable () -> any JsonPieceParser

// What `lines`, `jsonSequence` and `elements` have in common: chains whose responses are read in pieces, for each way in and out.
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

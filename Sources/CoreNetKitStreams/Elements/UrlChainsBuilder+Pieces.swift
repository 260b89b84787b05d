import CoreNetKit
import CoreNetKitChain

extension UrlChainsBuilder {
    /// A chain whose response is read in pieces.
    func pieces<I: Sendable, Format: StreamFormat, Model: Sendable>(
        _ reader: ElementReader<Format, Model>,
        _ build: (Self) -> Chain<I, StreamedResponse<Format>>
    ) -> Chain<I, ElementStream<Model>> {
        build(with(StreamRequest(idle: reader.options.idle))).map { reader.stream(of: $0) }
    }
}

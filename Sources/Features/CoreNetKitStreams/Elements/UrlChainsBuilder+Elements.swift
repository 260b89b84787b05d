public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that returns the elements of JSON Lines, one per line; without `sending` it takes no input.
    ///
    /// ```swift
    /// struct Row: Decodable, Sendable {
    ///     let id: Int
    /// }
    ///
    /// let rows = UrlChainsBuilder<String>().route(.get, "https://example.com/rows").lines(reading: .json(Row.self))
    /// ```
    public func lines<Input, Model>(
        _ options: ElementOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, ElementStream<Model>> {
        let accept = "application/jsonl, application/x-ndjson, application/json;q=0.5, */*;q=0.1"
        return elements(accept, options, sending, reading) { JsonLineParser(limit: options.limit) }
    }

    /// Builds a chain that returns the elements of a JSON text sequence (RFC 7464); without `sending` it takes no input.
    public func jsonSequence<Input, Model>(
        _ options: ElementOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, ElementStream<Model>> {
        elements("application/json-seq, */*;q=0.1", options, sending, reading) {
            JsonSequenceParser(limit: options.limit)
        }
    }

    /// Builds a chain that returns the elements of one array in a JSON text, whose rest is the stream's ``ElementStream/rest``;
    /// without `sending` it takes no input.
    public func elements<Input, Model>(
        at path: JsonPath,
        options: ElementOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, ElementStream<Model>> {
        elements("application/json", options, sending, reading) { JsonElementParser(at: path, limit: options.limit) }
    }

    private func elements<Input, Model>(
        _ accept: String,
        _ options: ElementOptions,
        _ sending: Sending<Input>,
        _ reading: Reading<Model>,
        _ parser: @escaping @Sendable () -> any JsonPieceParser
    ) -> Chain<Input, ElementStream<Model>> {
        let read = reading.piece(coding)
        let clock = configuration.parts.clock
        let chain = with(StreamRequest(idle: options.idle))
            .build(sending: sending, reading: StreamedResponse.reading(accept))
        return chain.map { ElementStream(source: ElementSource($0, parser: parser(), clock: clock), read: read) }
    }
}

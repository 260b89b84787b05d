public import CoreNetKit
public import CoreNetKitChain

extension UrlChainsBuilder {
    /// Builds a chain that returns the parts of a `multipart/mixed` response.
    ///
    /// - Parameters:
    ///   - options: How the response is read.
    ///   - sending: How the input is sent; without one the chain takes no input.
    ///   - reading: How the content of a part is read.
    /// - Returns: The chain.
    public func parts<Input, Model>(
        _ options: ElementOptions = .init(),
        sending: Sending<Input> = .nothing,
        reading: Reading<Model>
    ) -> Chain<Input, PartStream<Model>> {
        let read = reading.piece(coding)
        let clock = configuration.parts.clock
        let chain = with(StreamRequest(idle: options.idle))
            .build(sending: sending, reading: .model(StreamedResponse<PartFormat>.self))
        return chain.map { try await PartStream($0, limit: options.limit, on: clock, read: read) }
    }
}

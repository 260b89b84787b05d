public import CoreNetKitEssentials
public import CoreNetKitHTTP

extension UrlChainsBuilder {
    /// Builds a chain that sends no content and returns the response's bytes unchanged.
    ///
    /// Like any call, it may take 60 s in total, unless a deadline is set.
    public func loadData() -> Chain<Void, Data> {
        finish(sendingNothing(through: core(payload())))
    }

    /// Builds a chain that sends a model and returns the response's bytes unchanged.
    ///
    /// Like any call, it may take 60 s in total, unless a deadline is set.
    public func loadData<I: DTOEncodable & Sendable>() -> Chain<I, Data> where I.DTO.Raw: RequestPayload {
        finish(sending(I.self, through: core(payload())))
    }

    /// Builds a chain that returns the response's content as chunks, with back-pressure.
    ///
    /// It may take any time while bytes move: unless a deadline is set, only silence ends it (`Timeouts.idle`).
    public func loadStream() -> Chain<Void, ResponseStream> {
        finish(sendingNothing(through: core(payload())))
    }

    /// Builds a chain that sends a model and returns the response's content as chunks, with back-pressure.
    ///
    /// It may take any time while bytes move: unless a deadline is set, only silence ends it (`Timeouts.idle`).
    public func loadStream<I: DTOEncodable & Sendable>() -> Chain<I, ResponseStream> where I.DTO.Raw: RequestPayload {
        finish(sending(I.self, through: core(payload())))
    }

    /// Builds a chain that writes the response's content to a file and returns the response with the file's URL.
    ///
    /// It may take any time while bytes move: unless a deadline is set, only silence ends it (`Timeouts.idle`).
    ///
    /// - Parameter file: The target; an existing file is replaced when the content is complete.
    /// - Returns: The chain.
    public func download(to file: URL) -> Chain<Void, Response<URL>> {
        let copy = with { $0.delivery = .file(file) }
        let node = ResponseNode<Response<URL>>(fileOf: copy.configuration.exchange)
        return copy.finish(copy.sendingNothing(through: copy.core((node, node.terms))))
    }
}

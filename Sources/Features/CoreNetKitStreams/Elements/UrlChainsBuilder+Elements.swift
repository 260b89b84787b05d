public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and returns the elements of one array in a JSON text, as models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    public func elements<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(TextFormat.self, options) { JsonElementParser(at: path, limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of one array in a JSON text, as models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    public func elements<O: DTODecodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(TextFormat.self, options) { JsonElementParser(at: path, limit: options.limit) }
    }

    /// Builds a chain that sends a plain `Encodable` and returns the elements of one array in a JSON text, as plain models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    @_disfavoredOverload
    public func elements<I: Encodable & Sendable, O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        plainPieces(TextFormat.self, options) { JsonElementParser(at: path, limit: options.limit) }
    }

    /// Builds a chain that sends no content and returns the elements of one array in a JSON text, as plain models.
    ///
    /// - Parameters:
    ///   - path: The path of the array, such as `data.items`; `""` if it is the whole text.
    ///   - options: How the response is read.
    /// - Returns: The chain; the text around the array is its stream's ``ElementStream/rest``.
    @_disfavoredOverload
    public func elements<O: Decodable & Sendable>(
        at path: JsonPath,
        options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        plainPieces(TextFormat.self, options) { JsonElementParser(at: path, limit: options.limit) }
    }
}

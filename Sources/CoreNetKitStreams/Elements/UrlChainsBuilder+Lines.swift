public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

extension UrlChainsBuilder {
    /// Builds a chain that sends a model and gives the elements of JSON Lines: one element for each line, as models.
    public func lines<I: DTOEncodable & Sendable, O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> where I.DTO.Raw: RequestPayload, O.DTO.Raw == Json {
        pieces(ElementReader<LineFormat, O>.model(options, coding) { JsonLineParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and gives the elements of JSON Lines: one element for each line, as models.
    public func lines<O: DTODecodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> where O.DTO.Raw == Json {
        pieces(ElementReader<LineFormat, O>.model(options, coding) { JsonLineParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends a plain `Encodable` and gives the elements of JSON Lines: one element for each line, as plain models.
    @_disfavoredOverload
    public func lines<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<I, ElementStream<O>> {
        pieces(ElementReader<LineFormat, O>.plain(options, coding) { JsonLineParser(limit: options.limit) }) {
            $0.build()
        }
    }

    /// Builds a chain that sends no content and gives the elements of JSON Lines: one element for each line, as plain models.
    @_disfavoredOverload
    public func lines<O: Decodable & Sendable>(
        _ options: ElementOptions = .init()
    ) -> Chain<Void, ElementStream<O>> {
        pieces(ElementReader<LineFormat, O>.plain(options, coding) { JsonLineParser(limit: options.limit) }) {
            $0.build()
        }
    }
}

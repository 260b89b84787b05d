package import CoreNetKitChain
package import CoreNetKitHTTP

// The path of a model, from the caller to the wire; its response comes back through the same nodes.
//
//   DTOEncodingNode      model → DTO                     (CodableEncodingNode, VoidInputNode)
//   RawEncodingNode      DTO → raw data
//   RequestNode          raw data → TransportRequest
//   ResponseNode         model ← DTO ← raw data ← TransportResponse
//   ChainPosition.all    TransportRequest → TransportRequest, TransportResponse ← TransportResponse
//   TransportNode        TransportRequest → the wire, TransportResponse ← the wire

extension UrlChainsBuilder {
    // MARK: From raw data to the wire

    /// From raw data to the decoded response.
    func core<Sent: RequestPayload, Given: Sendable>(_ reader: ResponseNode<Given>) -> any Node<Sent, Given> {
        requestNode(to: reader, reader.terms)
    }

    /// From raw data to the output of a node after the request, for features whose chains end there.
    package func core<Sent: RequestPayload, Given: Sendable>(
        to next: any Node<TransportRequest, Given>
    ) -> any Node<Sent, Given> {
        requestNode(to: next, nil)
    }

    private func requestNode<Sent: RequestPayload, Given: Sendable>(
        to next: any Node<TransportRequest, Given>,
        _ terms: ResponseTerms?
    ) -> RequestNode<Sent, Given> {
        RequestNode(next: next, method: method, route: route, options: requestSettings.options, reader: terms)
    }

    // MARK: What is sent

    package func sending<I: DTOEncodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<I.DTO.Raw, Output>
    ) -> any Node<I, Output> {
        DTOEncodingNode(next: RawEncodingNode(next: next, coding: requestSettings.options.coding))
    }

    package func encoding<I: Encodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<Json, Output>
    ) -> any Node<I, Output> {
        CodableEncodingNode(next: next, coding: requestSettings.options.coding)
    }

    package func sendingNothing<Output: Sendable>(
        through next: any Node<EmptyPayload, Output>
    ) -> any Node<Void, Output> {
        VoidInputNode(next: next)
    }

    // MARK: What is read

    func giving<O: DTODecodable & Sendable>(_ model: O.Type) -> ResponseNode<O> where O.DTO.Raw: ResponsePayload {
        ResponseNode(next: configuration.exchange, coding: requestSettings.options.coding)
    }

    func decoding<O: Decodable & Sendable>(_ model: O.Type) -> ResponseNode<O> {
        ResponseNode(next: configuration.exchange, coding: requestSettings.options.coding)
    }

    func payload<Payload: ResponsePayload>() -> ResponseNode<Payload> {
        ResponseNode(payloadOf: configuration.exchange)
    }

    func contentless<R: ContentlessResponse>(_ type: R.Type) -> ResponseNode<R> {
        ResponseNode(headOf: configuration.exchange)
    }

    func givingNothing() -> ResponseNode<Void> { ResponseNode(statusOf: configuration.exchange) }

    package func finish<Input: Sendable, Output: Sendable>(_ head: any Node<Input, Output>) -> Chain<Input, Output> {
        configuration.chain(head)
    }
}

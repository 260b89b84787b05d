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

/// The node that reads the response, and its requirements; its own type would be looked up again in each function.
typealias Reader<Received> = (node: any Node<TransportRequest, Received>, requirements: ResponseRequirements?)

extension UrlChainsBuilder {
    // MARK: From raw data to the wire

    /// From raw data to the decoded response.
    func core<Sent: RequestPayload, Received: Sendable>(_ reader: Reader<Received>) -> any Node<Sent, Received> {
        RequestNode(
            next: reader.node,
            method: method,
            route: route,
            settings: requestSettings,
            reader: reader.requirements
        )
    }

    /// From raw data to the output of a node after the request, for features whose chains end there.
    package func core<Sent: RequestPayload, Received: Sendable>(
        to next: any Node<TransportRequest, Received>
    ) -> any Node<Sent, Received> {
        core((next, nil))
    }

    /// From the input to the output of a node after the request, for features whose chains end there.
    package func chain<Input, Output>(
        sending: Sending<Input>,
        to next: any Node<TransportRequest, Output>
    ) -> Chain<Input, Output> {
        configuration.chain(sending.form.head(of: self, before: (next, nil)))
    }

    func chain<Input, Output>(_ sending: Sending<Input>, _ node: ResponseNode<Output>) -> Chain<Input, Output> {
        configuration.chain(sending.form.head(of: self, before: node.reader))
    }

    // MARK: Requests

    func sending<I: DTOEncodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<I.DTO.Raw, Output>
    ) -> any Node<I, Output> {
        DTOEncodingNode(next: RawEncodingNode(next: next, coding: requestSettings.coding))
    }

    func encoding<I: Encodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<Json, Output>
    ) -> any Node<I, Output> {
        CodableEncodingNode(next: next, coding: requestSettings.coding)
    }

    package func sendingNothing<Output: Sendable>(
        through next: any Node<EmptyPayload, Output>
    ) -> any Node<Void, Output> {
        VoidInputNode(next: next)
    }

    // MARK: Responses

    func receiving<O: DTODecodable & Sendable>(_ model: O.Type) -> Reader<O> where O.DTO.Raw: ResponsePayload {
        ResponseNode<O>(next: configuration.exchange, coding: requestSettings.coding).reader
    }

    func decoding<O: Decodable & Sendable>(_ model: O.Type) -> Reader<O> {
        ResponseNode<O>(next: configuration.exchange, coding: requestSettings.coding).reader
    }

    func contentless<R: ContentlessResponse>(_ type: R.Type) -> Reader<R> {
        ResponseNode<R>(headOf: configuration.exchange).reader
    }

    func receivingNothing() -> Reader<Void> {
        ResponseNode<Void>(statusOf: configuration.exchange).reader
    }
}

extension ResponseNode {
    var reader: Reader<Model> { (self, requirements) }
}

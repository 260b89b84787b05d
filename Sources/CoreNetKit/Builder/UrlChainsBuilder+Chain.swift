package import CoreNetKitChain
package import CoreNetKitHTTP

// The walk of a model, from the caller to the wire; its response comes back through the same nodes. What stands between
// encoding and transport is `ChainPosition.all`.
//
//   DTOEncodingNode      model → DTO                     (CodableEncodingNode, VoidInputNode)
//   RawEncodingNode      DTO → raw data
//   DTODecodingNode      model ← DTO                     (CodableDecodingNode, VoidOutputNode)
//   RawDecodingNode      DTO ← raw data
//   MetadataNode         raw data → RequestModel
//   RoutingNode          RequestModel → RoutedRequest
//   URLNode              RoutedRequest → LocatedRequest
//   EncodingNode         LocatedRequest → TransportRequest
//   DecodingNode         raw data ← TransportResponse
//
// `RequestedModelNode` and `ReceivedModelNode` take the steps of a model that is read at once, `RequestNode` those of a
// request.

extension UrlChainsBuilder {
    /// From raw data to raw data.
    func core<Sent: RequestPayload, Given: ResponsePayload>() -> any Node<Sent, Given> {
        requestNode(
            to: DecodingNode<Given>(next: configuration.exchange),
            wish: RequestForm.Wish(accept: Given.accept, delivery: Given.delivery)
        )
    }

    /// From raw data to what a node gives that stands after the encoding, for features whose chains end there.
    package func core<Sent: RequestPayload, Given: Sendable>(
        to next: any Node<TransportRequest, Given>
    ) -> any Node<Sent, Given> {
        requestNode(to: next, wish: nil)
    }

    private func requestNode<Sent: RequestPayload, Given: Sendable>(
        to next: any Node<TransportRequest, Given>,
        wish: RequestForm.Wish?
    ) -> RequestNode<Sent, Given> {
        RequestNode<Sent, Given>(
            next: next,
            method: method,
            route: route,
            query: Self.text(of: requestSettings.options),
            options: requestSettings.options,
            wish: wish
        )
    }

    package func sending<I: DTOEncodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<I.DTO.Raw, Output>
    ) -> any Node<I, Output> {
        DTOEncodingNode(next: RawEncodingNode(next: next, coding: options.coding))
    }

    package func encoding<I: Encodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: any Node<Json, Output>
    ) -> any Node<I, Output> {
        CodableEncodingNode(next: next, coding: options.coding)
    }

    package func sendingNothing<Output: Sendable>(through next: any Node<EmptyPayload, Output>) -> any Node<
        Void, Output
    > {
        VoidInputNode(next: next)
    }

    func giving<Input: Sendable, O: DTODecodable & Sendable>(
        _ model: O.Type,
        through next: any Node<Input, Received<O.DTO.Raw>>
    ) -> any Node<Input, O> {
        ReceivedModelNode<O, Input>(next: next, coding: requestSettings.options.coding)
    }

    func decoding<Input: Sendable, O: Decodable & Sendable>(
        _ model: O.Type,
        through next: any Node<Input, Received<Json>>
    ) -> any Node<Input, O> {
        ReceivedDecodingNode(next: next, coding: options.coding)
    }

    func givingNothing<Input: Sendable>(through next: any Node<Input, EmptyPayload>) -> any Node<Input, Void> {
        VoidOutputNode(next: next)
    }

    package func finish<Input: Sendable, Output: Sendable>(_ head: any Node<Input, Output>) -> Chain<Input, Output> {
        configuration.chain(head)
    }

    private static func text(of options: RequestOptions) -> Result<String, NetworkError> {
        guard let query = options.query else { return .success("") }
        return query.flatMap { value in
            do {
                return .success(try options.fields.strategies.query(value))
            } catch {
                return .failure(
                    NetworkError.wrapping(error, stage: "URLNode", code: .unsupportedValue)
                        ?? NetworkError(.unsupportedValue, "\(error)", stage: "URLNode")
                )
            }
        }
    }
}

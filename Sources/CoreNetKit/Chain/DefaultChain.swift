import CoreNetKitHTTP

// The default order, as `Chain.description` prints it. A request goes down, its response comes back up.
//
//   PaceNode             the last or first of a burst    (debounce, throttle)
//   layers of one's own
//   DTOEncodingNode      model → DTO                     (CodableEncodingNode, VoidInputNode)
//   RawEncodingNode      DTO → raw data
//   DTODecodingNode      model ← DTO                     (CodableDecodingNode, VoidOutputNode)
//   RawDecodingNode      DTO ← raw data
//   MetadataNode         raw data → RequestModel
//   RoutingNode          RequestModel → RoutedRequest
//   URLNode              RoutedRequest → LocatedRequest
//   EncodingNode         LocatedRequest → TransportRequest
//   DecodingNode         raw data ← TransportResponse
//   HeadersNode          fields of providers
//   IdempotencyKeyNode   one key for all attempts        (idempotencyKey)
//   aroundCall           nodes of one's own
//   CoalescingNode       one exchange for equal calls    (coalesce)
//   BreakerNode          nothing to a failing server     (breaker)
//   LimitNode            so many calls at once           (limit)
//   RetryNode            an attempt for each repetition  (retry)
//   TokenNode            a token for each attempt        (authorize)
//   HedgeNode            a second request if slow        (hedge)
//   RateNode             so many requests a second       (rate)
//   StatusNode           only 200...299 comes back
//   aroundAttempt        nodes of one's own
//   RedirectNode         a hop for each redirect
//   aroundExchange       nodes of one's own
//   TransportNode        TransportRequest → TransportResponse

/// A node of the part of the chain that is bytes on both sides.
typealias Exchange = any Node<TransportRequest, TransportResponse>

extension UrlChainsBuilder {
    /// From raw data to raw data.
    func core<Sent: RequestPayload, Given: ResponsePayload>() -> some Node<Sent, Given> {
        let decoding = DecodingNode<Given, AnyExchange>(next: AnyExchange(exchange(accept: Given.accept)))
        let encoding = EncodingNode<Sent, DecodingNode<Given, AnyExchange>>(
            next: decoding,
            encoding: request.encoding,
            strategies: request.strategies,
            timeouts: request.timeouts,
            delivery: request.delivery
        )
        let url = URLNode<Route, Sent, EncodingNode<Sent, DecodingNode<Given, AnyExchange>>>(
            next: encoding,
            query: queryText()
        )
        return MetadataNode(
            next: RoutingNode(next: url, method: request.method, route: request.route),
            metadata: request.metadata
        )
    }

    /// From request to accepted response, innermost first.
    private func exchange(accept: String) -> Exchange {
        var next: Exchange = TransportNode(request.transport ?? client.transport, clock: client.clock)
        next = inserted(insertions.aroundExchange, next)
        next = redirect(next)
        next = inserted(insertions.aroundAttempt, next)
        next = status(next)
        next = recovering(next)
        next = inserted(insertions.aroundCall, next)
        next = idempotencyKey(next)
        return headers(next, accept)
    }

    private func redirect(_ next: some Node<TransportRequest, TransportResponse>) -> Exchange {
        RedirectNode(next: next, limit: request.redirectLimit)
    }

    private func status(_ next: some Node<TransportRequest, TransportResponse>) -> Exchange {
        StatusNode(next: next)
    }

    private func idempotencyKey(_ next: some Node<TransportRequest, TransportResponse>) -> Exchange {
        guard let make = policies.idempotencyKey else { return next }
        return IdempotencyKeyNode(next: next, make: make)
    }

    private func headers(_ next: some Node<TransportRequest, TransportResponse>, _ accept: String) -> Exchange {
        HeadersNode(next: next, accept: accept, providers: request.providers, clock: client.clock)
    }

    private func inserted(
        _ insertions: [Insertion<TransportRequest, TransportResponse>],
        _ next: Exchange
    ) -> Exchange {
        insertions.reversed().reduce(next) { next, insertion in insertion(next) }
    }

    private func queryText() -> Result<String, NetworkError> {
        guard let query = request.query else { return .success("") }
        return query.flatMap { value in
            do {
                return .success(try request.strategies.query(value))
            } catch {
                return .failure(
                    NetworkError.wrapping(error, stage: "URLNode", code: .unsupportedValue)
                        ?? NetworkError(.unsupportedValue, "\(error)", stage: "URLNode")
                )
            }
        }
    }
}

// The model side: a few generic steps, each in front of any node of the right types.
extension UrlChainsBuilder {
    func sending<I: DTOEncodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: some Node<I.DTO.Raw, Output>
    ) -> some Node<I, Output> {
        DTOEncodingNode(next: RawEncodingNode(next: next, coding: request.coding))
    }

    func encoding<I: Encodable & Sendable, Output: Sendable>(
        _ model: I.Type,
        through next: some Node<Json, Output>
    ) -> some Node<I, Output> {
        CodableEncodingNode(next: next, coding: request.coding)
    }

    func sendingNothing<Output: Sendable>(through next: some Node<EmptyPayload, Output>) -> some Node<Void, Output> {
        VoidInputNode(next: next)
    }

    func giving<Input: Sendable, O: DTODecodable & Sendable>(
        _ model: O.Type,
        through next: some Node<Input, O.DTO.Raw>
    ) -> some Node<Input, O> {
        DTODecodingNode(next: RawDecodingNode(next: next, coding: request.coding))
    }

    func decoding<Input: Sendable, O: Decodable & Sendable>(
        _ model: O.Type,
        through next: some Node<Input, Json>
    ) -> some Node<Input, O> {
        CodableDecodingNode(next: next, coding: request.coding)
    }

    func givingNothing<Input: Sendable>(through next: some Node<Input, EmptyPayload>) -> some Node<Input, Void> {
        VoidOutputNode(next: next)
    }

    func finish<Input: Sendable, Output: Sendable>(_ head: some Node<Input, Output>) -> Chain<Input, Output> {
        let whole: any Node<Input, Output> = head
        let head = layers.reversed().reduce(whole) { next, layer in layer.wrap(next) }
        // The default order is right: only nodes of one's own can be in the wrong place.
        guard !layers.isEmpty || !insertions.isEmpty else { return Chain(head: paced(head), options: call) }
        return Chain(checked: paced(head), options: call)
    }
}

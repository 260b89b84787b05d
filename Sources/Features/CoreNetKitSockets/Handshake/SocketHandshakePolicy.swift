import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitWire

/// Requests a WebSocket and validates the response, with a new key for each exchange.
struct SocketHandshakePolicy: ChainPolicy {
    let offer: SocketHandshake.Offer

    var positions: [ChainPosition] { [.inside(of: .trace, "socket")] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("SocketHandshakeNode", successors: [next]) { request, context in
            // Names are joined into one field: one that is not a token could be read as several, or as another one.
            if let name = offer.protocols.first(where: { !FieldCheck.isToken($0) }) {
                let reason = "the subprotocol '\(name)' is no token (RFC 6455, 4.1)"
                throw NetworkError(.invalidRequest, reason, node: "SocketHandshakeNode")
            }
            var request = request
            let key = SocketHandshake.key()
            let fields = SocketHandshake.fields(key: key, protocols: offer.protocols, extensions: offer.extensions)
            for field in fields { request.headers[field.name] = field.value }
            var response = try await next.process(request, context: context)
            guard response.status == 101 else { return response }
            do throws(SocketHandshake.Refusal) {
                let agreement = try SocketHandshake.check(response.headers, key: key, offer: offer)
                response.attributes[SocketAgreementKey.self] = agreement
            } catch {
                var failure = NetworkError.socket(
                    SocketError(.handshakeRefused, error.message),
                    node: "SocketHandshakeNode"
                )
                failure.response = FailedResponse(response)
                throw failure
            }
            return response
        }
    }
}
